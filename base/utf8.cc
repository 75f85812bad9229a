// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <array>
#include <cstdint>

namespace inquest {

size_t Utf8Length(std::string_view text) {
  if (text.empty()) return 0;
  const auto at = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = at(0);
  const size_t length = lead < 0x80             ? 1
                        : (lead & 0xE0) == 0xC0 ? 2
                        : (lead & 0xF0) == 0xE0 ? 3
                        : (lead & 0xF8) == 0xF0 ? 4
                                                : 0;
  if (length == 0 || length > text.size()) return 0;
  uint32_t point = length == 1 ? lead : lead & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
    point = point << 6 | (at(i) & 0x3F);
  }
  constexpr std::array<uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xD800 && point < 0xE000;
  return point < kLeast[length] || point > 0x10FFFF || surrogate ? 0 : length;
}

bool IsControl(std::string_view sequence) {
  const auto at = [&](size_t i) { return static_cast<uint8_t>(sequence[i]); };
  if (sequence.size() == 1) return at(0) < 0x20 || at(0) == 0x7F;
  if (sequence.size() == 2) {
    return (at(0) == 0xC2 && at(1) < 0xA0) ||  // C1
           (at(0) == 0xD8 && at(1) == 0x9C);   // U+061C
  }
  if (sequence.size() != 3 || at(0) != 0xE2) return false;
  if (at(1) == 0x80) {
    return at(2) == 0x8E || at(2) == 0x8F ||  // U+200E, U+200F
           (at(2) >= 0xAA && at(2) <= 0xAE);  // U+202A to U+202E
  }
  return at(1) == 0x81 && at(2) >= 0xA6 && at(2) <= 0xA9;  // U+2066 to U+2069
}

size_t FindInvalidUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (static_cast<uint8_t>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const size_t length = Utf8Length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

}  // namespace inquest
