// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/redact/replace.h"

#include <algorithm>

#include "base/text.h"

namespace inquest::report {
namespace {

constexpr int kGroups = 4;

std::string_view View(const re2::StringPiece& piece) {
  return piece.data() == nullptr ? std::string_view()
                                 : std::string_view(piece.data(), piece.size());
}

// The next match from `at` on.
bool FindFrom(const re2::RE2& pattern, std::string_view text, size_t at,
              Match* match) {
  std::array<re2::StringPiece, kGroups + 1> parts;
  const int count = std::min(pattern.NumberOfCapturingGroups(), kGroups) + 1;
  if (!pattern.Match(re2::StringPiece(text.data(), text.size()), at,
                     text.size(), re2::RE2::UNANCHORED, parts.data(), count)) {
    return false;
  }
  match->whole = View(parts[0]);
  match->groups.fill({});
  for (int i = 1; i < count; ++i) {
    match->groups[static_cast<size_t>(i) - 1] =
        View(parts[static_cast<size_t>(i)]);
  }
  const auto begin = static_cast<size_t>(match->whole.data() - text.data());
  const size_t end = begin + match->whole.size();
  match->before = begin > 0 ? text[begin - 1] : '\0';
  match->after = end < text.size() ? text[end] : '\0';
  match->left = text.substr(0, begin);
  return true;
}

}  // namespace

bool IsWordPart(char c) {
  return IsAlpha(c) || IsDigit(c);
}

void ForEachMatch(const re2::RE2& pattern, std::string_view text,
                  const std::function<void(const Match&)>& look) {
  Match match;
  for (size_t at = 0;
       at < text.size() && FindFrom(pattern, text, at, &match);) {
    look(match);
    at = match.left.size() + std::max<size_t>(match.whole.size(), 1);
  }
}

void ReplaceAll(const re2::RE2& pattern, const Replacement& replacement,
                std::string* text) {
  std::string out;
  size_t copied = 0;
  ForEachMatch(pattern, *text, [&](const Match& match) {
    const auto instead = replacement(match);
    if (!instead) return;
    out.append(*text, copied, match.left.size() - copied).append(*instead);
    copied = match.left.size() + match.whole.size();
  });
  if (copied == 0) return;
  *text = out.append(*text, copied);
}

std::string WithoutColours(std::string_view text) {
  std::string plain(text);
  if (text.find('\x1b') == text.npos) return plain;
  static const re2::RE2 sequence(R"(\x1b\[[0-9;:?]*[ -/]*[@-~])");
  re2::RE2::GlobalReplace(&plain, sequence, "");
  return plain;
}

}  // namespace inquest::report
