// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "base/units.h"
#include "base/utf8.h"

namespace inquest {
namespace {

bool IsPlain(char c) {
  return (c >= 0x20 && c < 0x7F) || c == '\t';
}

size_t PlainLength(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && IsPlain(text[length])) ++length;
  return length;
}

std::string Escaped(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    char escape[8];
    std::snprintf(escape, sizeof(escape), "\\x%02X",
                  static_cast<unsigned>(static_cast<uint8_t>(c)));
    out += escape;
  }
  return out;
}

// The first character of `text`, or a byte that belongs to none, in printable
// form.
std::string PieceOf(std::string_view text, size_t* taken) {
  const size_t length = Utf8Length(text);
  *taken = length > 0 ? length : 1;
  const std::string_view sequence = text.substr(0, *taken);
  const bool fine = length > 0 && !IsControl(sequence);
  return fine ? std::string(sequence) : Escaped(sequence);
}

// "\x1b[1;31m" and the like, which set a colour and nothing else; 0 if there
// is none at the beginning.
size_t ColourLength(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const size_t end = text.find_first_not_of("0123456789;", 2);
  return end == text.npos || end > 8 || text[end] != 'm' ? 0 : end + 1;
}

}  // namespace

std::string Printable(std::string_view text, size_t max_bytes) {
  std::string out;
  out.reserve(std::min(text.size(), max_bytes));
  while (!text.empty()) {
    size_t taken = PlainLength(text);
    if (taken > 0) {
      const size_t room = max_bytes - out.size();
      out += text.substr(0, std::min(taken, room));
      if (taken > room) return out + "…";
    } else {
      const std::string piece = PieceOf(text, &taken);
      if (out.size() + piece.size() > max_bytes) return out + "…";
      out += piece;
    }
    text.remove_prefix(taken);
  }
  return out;
}

std::string PrintableLines(std::string_view text, bool colours) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t taken = PlainLength(text);
    if (taken == 0 && text.front() == '\n') taken = 1;
    if (taken == 0 && colours) taken = ColourLength(text);
    if (taken > 0) {
      out += text.substr(0, taken);
    } else {
      out += PieceOf(text, &taken);
    }
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
