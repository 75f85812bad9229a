// SPDX-License-Identifier: Apache-2.0
#include "base/display_width.h"

#include <algorithm>
#include <clocale>
#include <cwchar>

#include "base/utf8.h"

namespace inquest {
namespace {

// The C library knows the widths, but only in a UTF-8 locale, and the user's
// may be another. This one always exists.
locale_t Utf8Locale() {
  static const locale_t made =
      newlocale(LC_CTYPE_MASK, "C.UTF-8", static_cast<locale_t>(nullptr));
  return made;
}

wchar_t CodePoint(std::string_view sequence) {
  auto point = static_cast<uint32_t>(static_cast<uint8_t>(sequence[0]));
  if (sequence.size() > 1) point &= 0xFFU >> (sequence.size() + 1);
  for (size_t i = 1; i < sequence.size(); ++i) {
    point = point << 6 | (static_cast<uint8_t>(sequence[i]) & 0x3F);
  }
  return static_cast<wchar_t>(point);
}

size_t WidthOfCharacter(std::string_view sequence) {
  if (sequence.size() <= 1) return 1;
  const locale_t utf8 = Utf8Locale();
  if (utf8 == nullptr) return 1;
  const locale_t before = uselocale(utf8);
  const int width = wcwidth(CodePoint(sequence));
  uselocale(before);
  return width < 0 ? 1 : static_cast<size_t>(width);
}

// Bytes of the colour sequence at the beginning, 0 if there is none.
size_t ColourBytes(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const size_t end = text.find('m');
  return end == text.npos ? 0 : end + 1;
}

}  // namespace

size_t FittingLength(std::string_view text, size_t columns) {
  size_t used = 0;
  size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    if (const size_t colour = ColourBytes(rest); colour > 0) {
      at += colour;
      continue;
    }
    const size_t length = std::max<size_t>(Utf8Length(rest), 1);
    const size_t width = WidthOfCharacter(rest.substr(0, length));
    if (used + width > columns) return at;
    used += width;
    at += length;
  }
  return at;
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (const size_t colour = ColourBytes(rest); colour > 0) {
      at += colour;
      continue;
    }
    const size_t length = std::max<size_t>(Utf8Length(rest), 1);
    width += WidthOfCharacter(rest.substr(0, length));
    at += length;
  }
  return width;
}

}  // namespace inquest
