// SPDX-License-Identifier: Apache-2.0
// Replacing matches of a pattern by what a function says. Internal to redact/.
#pragma once

#include <re2/re2.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace inquest::report {

struct Match {
  std::string_view whole;                  // of the text
  std::array<std::string_view, 4> groups;  // empty if they did not take part
  char before = 0;                         // the characters around; 0: none
  char after = 0;
  std::string_view left;  // the text before
};

// Empty: the match stays as it is.
using Replacement = std::function<std::optional<std::string>(const Match&)>;

void ReplaceAll(const re2::RE2& pattern, const Replacement& replacement,
                std::string* text);
// Only looks.
void ForEachMatch(const re2::RE2& pattern, std::string_view text,
                  const std::function<void(const Match&)>& look);

// Without the sequences that colour a terminal's text: their last letter would
// make one word with a name that follows.
std::string WithoutColours(std::string_view text);

// Whether it belongs to a word of letters and digits.
bool IsWordPart(char c);

}  // namespace inquest::report
