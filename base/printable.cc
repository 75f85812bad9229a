// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "base/units.h"
#include "base/utf8.h"

namespace inquest {
std::string Printable(std::string_view text, size_t max_bytes) {
  std::string out;
  out.reserve(std::min(text.size(), max_bytes));
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const auto byte = static_cast<uint8_t>(text[0]);
    // U+0080..U+009F are control characters too (C1), sent as C2 80..9F.
    const bool c1 =
        length == 2 && byte == 0xC2 && static_cast<uint8_t>(text[1]) < 0xA0;
    const bool fine =
        length > 0 && !c1 && byte != 0x7F && (byte >= 0x20 || byte == '\t');
    const size_t taken = length > 0 ? length : 1;
    std::string piece(text.substr(0, taken));
    if (!fine) {
      piece.clear();
      for (const char c : text.substr(0, taken)) {
        char escape[8];
        std::snprintf(escape, sizeof(escape), "\\x%02X",
                      static_cast<unsigned>(static_cast<uint8_t>(c)));
        piece += escape;
      }
    }
    if (out.size() + piece.size() > max_bytes) return out + "…";
    out += piece;
    text.remove_prefix(taken);
  }
  return out;
}

void Shorten(std::string* text, size_t max_bytes) {
  if (text->size() <= max_bytes) return;
  while (max_bytes > 0 && ((*text)[max_bytes] & 0xC0) == 0x80) --max_bytes;
  text->resize(max_bytes);
  *text += "…";
}

}  // namespace inquest
