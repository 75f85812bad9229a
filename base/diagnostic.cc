// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostic.h"

#include <algorithm>

#include "base/units.h"

namespace inquest {
namespace {

constexpr size_t kSnippetBytes = 160;

struct Look {
  std::string_view word;
  std::string_view colour;
};

Look LookOf(Diagnostic::Level level) {
  switch (level) {
    case Diagnostic::Level::kNote:
      return {"note", "\x1b[1;36m"};
    case Diagnostic::Level::kWarning:
      return {"warning", "\x1b[1;33m"};
    case Diagnostic::Level::kError:
      break;
  }
  return {"error", "\x1b[1;31m"};
}

std::string Escaped(const std::string& text) {
  return Printable(text, std::string::npos);
}

// Keeps the lines of a text. What a message quotes may be long.
std::string Indented(std::string said, size_t indent) {
  constexpr size_t kMaxSaid = 4000;
  Shorten(&said, kMaxSaid);
  std::string_view text = said;
  std::string out;
  while (true) {
    const size_t end = text.find('\n');
    out += Escaped(std::string(text.substr(0, end)));
    if (end == std::string_view::npos) return out;
    out += '\n' + std::string(indent, ' ');
    text.remove_prefix(end + 1);
  }
}

// The part of the line around the column, and the caret's position in it,
// counted in code points as printed, since escapes and umlauts shift it.
void AppendSnippet(const Diagnostic& d, std::string* out) {
  std::string text = d.snippet;
  std::replace(text.begin(), text.end(), '\t', ' ');
  size_t column = d.column > 0 ? static_cast<size_t>(d.column) - 1 : 0;
  column = std::min(column, text.size());
  size_t begin = 0;
  if (text.size() > kSnippetBytes && column > kSnippetBytes / 2) {
    begin = column - kSnippetBytes / 2;
    while (begin < column && (text[begin] & 0xC0) == 0x80) ++begin;
  }
  const std::string before = Escaped(text.substr(begin, column - begin));
  const std::string after =
      Printable(text.substr(column), kSnippetBytes - (column - begin));
  *out += "\n   | " + std::string(begin > 0 ? "…" : "") + before + after;
  if (d.column <= 0) return;
  size_t width = begin > 0 ? 1 : 0;
  for (const char c : before) width += (c & 0xC0) != 0x80;
  *out += "\n   | " + std::string(width, ' ') + "^";
}

}  // namespace

Diagnostic FromStatus(const Status& status) {
  Diagnostic diagnostic;
  diagnostic.message = status.message();
  diagnostic.help = status.hint();
  return diagnostic;
}

bool HasErrors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const auto& d) {
    return d.level == Diagnostic::Level::kError;
  });
}

std::string Render(const Diagnostic& d, bool colour) {
  const Look look = LookOf(d.level);
  const std::string_view on = colour ? look.colour : "";
  const std::string_view bold = colour ? "\x1b[1m" : "";
  const std::string_view off = colour ? "\x1b[0m" : "";
  std::string out(on);
  out += look.word;
  if (!d.code.empty()) out += "[" + d.code + "]";
  out += off;
  out += ": ";
  out += bold;
  out += Indented(d.message, 2);
  out += off;
  if (!d.file.empty()) {
    out += "\n  --> " + Escaped(d.file);
    if (d.line > 0) out += ":" + std::to_string(d.line);
    if (d.line > 0 && d.column > 0) out += ":" + std::to_string(d.column);
  }
  if (!d.snippet.empty()) AppendSnippet(d, &out);
  if (!d.reason.empty()) out += "\n  why: " + Indented(d.reason, 7);
  if (!d.help.empty()) out += "\n  help: " + Indented(d.help, 8);
  return out;
}

}  // namespace inquest
