// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/markdown.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"

namespace inquest::report {
namespace {

constexpr std::string_view kMarkdownMarks = "\\`*_{}[]<>()#+-!|~&$^=";
constexpr std::string_view kNothing = "\u200B";  // a space of no width

bool IsLetterOrDigit(char c) {
  return IsAlpha(c) || IsDigit(c);
}

// Marks between letters do nothing, except those that make code, links, HTML
// and emphasis: "expandable_segments" needs none, "a_b_" may.
bool NeedsEscape(std::string_view text, size_t i) {
  const char c = text[i];
  if (kMarkdownMarks.find(c) == kMarkdownMarks.npos) return false;
  const bool inside = i > 0 && i + 1 < text.size() &&
                      IsLetterOrDigit(text[i - 1]) &&
                      IsLetterOrDigit(text[i + 1]);
  return !inside ||
         std::string_view("\\`*[]<>|&~$^").find(c) != kMarkdownMarks.npos;
}

size_t LongestRun(std::string_view text, char c) {
  size_t longest = 0, run = 0;
  for (const char one : text) {
    run = one == c ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string MarkdownText(std::string_view text) {
  const std::string safe = Printable(text);
  std::string out;
  for (size_t i = 0; i < safe.size(); ++i) {
    const std::string_view rest = std::string_view(safe).substr(i);
    if (NeedsEscape(safe, i)) out += '\\';
    out += safe[i];
    const bool link = rest.starts_with("://") ||
                      EqualsIgnoringCase(rest.substr(0, 4), "www.");
    // At a line's beginning "1." and the like would begin a list.
    if (safe[i] == '@' || link) out += kNothing;
  }
  const size_t digits = out.find_first_not_of("0123456789");
  if (digits > 0 && digits != out.npos && out[digits] == '.' &&
      (digits + 1 == out.size() || out[digits + 1] == ' ')) {
    out.insert(digits, "\\");
  }
  return out;
}

std::string MarkdownCode(std::string_view text) {
  const std::string safe = Printable(text);
  const std::string fence(LongestRun(safe, '`') + 1, '`');
  const bool padded = safe.empty() || safe.front() == '`' ||
                      safe.back() == '`' || safe.front() == ' ';
  const char* pad = padded ? " " : "";
  return fence + pad + safe + pad + fence;
}

std::string MarkdownBlock(std::string_view lines, std::string_view language,
                          size_t indent) {
  const std::string safe = PrintableLines(lines);
  const std::string fence(std::max<size_t>(LongestRun(safe, '`') + 1, 3), '`');
  const std::string before(indent, ' ');
  std::string out = before + fence + std::string(language) + "\n";
  for (size_t at = 0; at < safe.size();) {
    const size_t end = std::min(safe.find('\n', at), safe.size());
    out += before + safe.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out + before + fence + "\n";
}

}  // namespace inquest::report
