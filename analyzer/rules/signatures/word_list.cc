// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/word_list.h"

#include <cctype>
#include <utility>

#include "base/text.h"

namespace inquest::rules {
namespace {

constexpr size_t kKnownToRe2 = 16;  // words

// The words from `begin` to the end of the group, if it holds nothing else.
std::optional<WordList> WordsAt(std::string_view pattern, size_t begin,
                                size_t shortest) {
  WordList list{begin, begin, {}};
  std::string word;
  for (; list.end < pattern.size(); ++list.end) {
    const char c = pattern[list.end];
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += ToLower(c);
      continue;
    }
    if (word.size() < shortest || (c != '|' && c != ')')) return {};
    list.words.push_back(std::move(word));
    word.clear();
    if (c == ')') return list;
  }
  return {};
}

// Where the content of the group at `at` begins; npos for flags like "(?i)".
size_t ContentOf(std::string_view pattern, size_t at) {
  if (pattern.substr(at, 2) != "(?") return at + 1;
  const size_t end = pattern.find_first_of(":>)", at);
  return end == pattern.npos || pattern[end] == ')' ? pattern.npos : end + 1;
}

bool FoldsCase(std::string_view pattern, size_t at) {
  const size_t content = ContentOf(pattern, at);
  return pattern.substr(at, content - at).find('i') < content - at &&
         pattern.substr(at, 3) != "(?P";
}

}  // namespace

std::optional<WordList> FindWordList(std::string_view pattern,
                                     size_t shortest) {
  int depth = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '[') {
      i = pattern.find(']', i + 2);
      if (i == pattern.npos) return {};
    } else if (pattern[i] == ')') {
      --depth;
    } else if (pattern[i] == '(' && depth++ == 0) {
      const size_t content = ContentOf(pattern, i);
      if (content == pattern.npos) return {};
      if (FoldsCase(pattern, i)) continue;
      auto list = WordsAt(pattern, content, shortest);
      if (list && list->words.size() > kKnownToRe2) return list;
    }
  }
  return {};
}

}  // namespace inquest::rules
