// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/ascii.h"

#include <array>
#include <utility>

namespace inquest::report {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kMarks =
    {{{"…", "..."},
      {"×", "x"},
      {"—", "-"},
      {"–", "-"},
      {"→", "->"},
      {"≥", ">="},
      {"≤", "<="},
      {"µ", "u"},
      {"“", "\""},
      {"”", "\""},
      {"‘", "'"},
      {"’", "'"}}};

}  // namespace

std::string InAscii(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t taken = 0;
    // All of them begin with a byte that ASCII does not have.
    if ((static_cast<unsigned char>(text[0]) & 0x80) != 0) {
      for (const auto& [mark, instead] : kMarks) {
        if (!text.starts_with(mark)) continue;
        out += instead;
        taken = mark.size();
        break;
      }
    }
    if (taken == 0) out += text[taken++];
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace inquest::report
