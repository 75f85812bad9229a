// SPDX-License-Identifier: Apache-2.0
// Finds a long list of words in a pattern, like that of a vocabulary's names.
// RE2 has no required literals for it. Called by signature_literals.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inquest::rules {

// "A|B|…" in a group of its own, each word of letters, digits and '_'.
struct WordList {
  size_t begin = 0;                // in the pattern, after "(?:" or "(?P<name>"
  size_t end = 0;                  // the group's bracket
  std::vector<std::string> words;  // in lower case, each >= `shortest` bytes
};

// The first list of more words than RE2 keeps track of. Lists inside other
// groups are left out, as are those whose case a flag may fold.
std::optional<WordList> FindWordList(std::string_view pattern, size_t shortest);

}  // namespace inquest::rules
