// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/bound.h"

#include "tests/catch_compat.h"

namespace inquest::rules {
namespace {

bool Holds(std::string_view text, double one) {
  const auto bound = ParseBound(text);
  REQUIRE(bound.has_value());
  return bound->Holds(one);
}

TEST_CASE("bounds of numbers and sizes") {
  CHECK(Holds(">= 1 GiB", 1 << 30));
  CHECK_FALSE(Holds("> 1 GiB", 1 << 30));
  CHECK(Holds(">1GiB", 2e9));
  CHECK(Holds("< 4", 3));
  CHECK_FALSE(Holds("<4", 4));
  CHECK(Holds("<= 4", 4));
}

TEST_CASE("what is no bound") {
  CHECK_FALSE(ParseBound("4").has_value());
  CHECK_FALSE(ParseBound("<").has_value());
  CHECK_FALSE(ParseBound(">= much").has_value());
  CHECK_FALSE(IsBound("=4"));
}

}  // namespace
}  // namespace inquest::rules
