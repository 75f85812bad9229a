// SPDX-License-Identifier: Apache-2.0
#include "analyzer/fleet/results/log_template.h"

#include <re2/re2.h>

#include <array>

#include "base/text.h"
#include "base/units.h"

namespace inquest::fleet {
namespace {

constexpr size_t kMaxBytes = 300;

struct Mask {
  RE2 pattern;
  const char* as;
};

// In this order: what is longer and surer comes first.
std::array<Mask, 8>& Masks() {
  static std::array<Mask, 8> masks = {
      Mask{
          RE2(R"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)"),
          "<time>"},
      Mask{
          RE2(R"((?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+ \d\d:\d\d:\d\d)"),
          "<time>"},
      Mask{
          RE2(R"((?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"),
          "<id>"},
      Mask{RE2(R"((?:[a-z][a-z0-9+]*://|/)[^\s'"(),;:]+)"), "<path>"},
      Mask{RE2(R"(0x[0-9a-fA-F]+)"), "<hex>"},
      Mask{RE2(R"(\b\d+\.\d+\.\d+\.\d+\b)"), "<address>"},
      Mask{
          RE2(R"(\b(?:[0-9a-f]*\d[0-9a-f]*[a-f]|[0-9a-f]*[a-f][0-9a-f]*\d)[0-9a-f]{6,}\b)"),
          "<hex>"},
      Mask{RE2(R"(\d+(?:[.,]\d+)*)"), "<n>"}};
  return masks;
}

}  // namespace

std::string LogTemplate(std::string_view line) {
  std::string text(Trim(line.substr(0, 4 * kMaxBytes)));
  for (const Mask& mask : Masks()) {
    RE2::GlobalReplace(&text, mask.pattern, mask.as);
  }
  static const RE2 kBlanks(R"(\s+)");
  RE2::GlobalReplace(&text, kBlanks, " ");
  Shorten(&text, kMaxBytes);
  return text;
}

}  // namespace inquest::fleet
