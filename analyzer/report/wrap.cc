// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/wrap.h"

#include <algorithm>

namespace inquest::report {
namespace {

constexpr size_t kHanging = 4;
constexpr size_t kCommandIndent = 5;
constexpr size_t kNarrowest = 20;

// In characters on a terminal, where each takes one place.
size_t WidthOf(std::string_view text) {
  size_t width = 0;
  bool escape = false;
  for (const char c : text) {
    if (c == '\x1b') escape = true;
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (!escape && !continues) ++width;
    if (escape && c == 'm') escape = false;
  }
  return width;
}

void WrapLine(std::string_view line, size_t width, std::string* out) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (indent == kCommandIndent || WidthOf(line) <= width) {
    out->append(line);
    return;
  }
  out->append(indent, ' ');
  size_t used = indent;
  bool first = true;
  for (size_t at = indent; at < line.size();) {
    const size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    const size_t length = WidthOf(word);
    if (!first && used + 1 + length > width) {
      out->append("\n").append(indent + kHanging, ' ');
      used = indent + kHanging;
    } else if (!first) {
      *out += ' ';
      ++used;
    }
    out->append(word);
    used += length;
    first = false;
    at = end + 1;
  }
}

}  // namespace

std::string WrapLines(std::string_view text, size_t width) {
  if (width == 0) return std::string(text);
  width = std::max(width, kNarrowest);
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    WrapLine(text.substr(0, end), width, &out);
    if (end == text.size()) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace inquest::report
