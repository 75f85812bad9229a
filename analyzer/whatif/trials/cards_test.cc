// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/trials/cards.h"

#include <cstdlib>
#include <string>

#include "tests/catch_compat.h"

namespace inquest::whatif {
namespace {

constexpr double kGiB = 1 << 30;

int64_t Bytes(double gib) {
  return static_cast<int64_t>(gib * kGiB);
}

// The number in "(16 GB)".
double NominalOf(const std::string& name) {
  return std::strtod(name.c_str() + name.find('(') + 1, nullptr);
}

TEST_CASE(
    "cards: in the order of their sizes, none larger than its name says") {
  double before = 0;
  for (const KnownCard& card : KnownCards()) {
    INFO(card.name);
    CHECK(card.gib > before);
    const double nominal = NominalOf(card.name);
    CHECK(card.gib <= nominal);
    CHECK(card.gib >= 0.9 * nominal);  // ECC takes a 16th
    const bool is_nominal =
        std::string(card.name).find("nominal") != std::string::npos;
    CHECK(is_nominal == (card.gib == nominal));
    before = card.gib;
  }
}

TEST_CASE("cards: the smallest that is large enough") {
  CHECK(SmallestCard(Bytes(14.5)).name == "T4 (16 GB)");
  // A card has less than its name says.
  CHECK(SmallestCard(Bytes(24)).name == "RTX 5090 (32 GB)");
  CHECK(SmallestCard(Bytes(80)).name == "H100 NVL (94 GB)");
  CHECK(SmallestCard(Bytes(140)).name == "GH200 (144 GB, nominal)");
  CHECK(SmallestCard(Bytes(139.5)).bytes >= Bytes(139.5));
  CHECK(SmallestCard(Bytes(300)).name.empty());
}

}  // namespace
}  // namespace inquest::whatif
