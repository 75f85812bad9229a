// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/also_required.h"

#include <re2/filtered_re2.h>

#include <algorithm>
#include <string_view>

#include "analyzer/rules/signatures/common_words.h"
#include "analyzer/rules/signatures/pattern_atoms.h"
#include "analyzer/rules/signatures/signature_pattern.h"

namespace inquest::rules {
namespace {

// A letter for private use. In place of each `\b`, which stands for no text,
// RE2 keeps it with the word beside it.
constexpr std::string_view kBoundary = "\xEE\x80\x80";

std::string WithBoundaries(const std::string& pattern) {
  std::string marked;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool escapes = pattern[i] == '\\' && i + 1 < pattern.size();
    if (escapes && pattern[i + 1] == 'b') {
      marked += kBoundary;
    } else {
      marked += pattern.substr(i, escapes ? 2 : 1);
    }
    i += escapes ? 1 : 0;
  }
  return marked;
}

// With '\b' for that letter.
std::string MarkBoundaries(std::string atom) {
  for (size_t at = atom.find(kBoundary); at != atom.npos;
       at = atom.find(kBoundary, at)) {
    atom.replace(at, kBoundary.size(), "\b");
  }
  return atom;
}

std::string WithoutBoundaries(std::string piece) {
  std::erase(piece, '\b');
  return piece;
}

// With boundaries at its ends only.
std::string WordOf(const std::string& piece) {
  return (piece.starts_with('\b') ? "\b" : "") + WithoutBoundaries(piece) +
         (piece.ends_with('\b') ? "\b" : "");
}

// Two letters occur anywhere, unless they are a word; and what is part of one
// of the literals is there already.
bool SaysMore(const std::string& word, const std::vector<std::string>& any) {
  const std::string letters = WithoutBoundaries(word);
  const bool is_long = letters.size() > 2 || word.size() == 4;
  return is_long && !IsCommonWord(word) &&
         std::none_of(any.begin(), any.end(), [&](const std::string& literal) {
           return literal.find(letters) != literal.npos;
         });
}

}  // namespace

std::vector<std::string> AlsoRequired(const std::string& pattern,
                                      const std::vector<std::string>& any) {
  constexpr size_t kMost = 16;  // more take longer than RE2 does
  constexpr int kShortest = 2;
  re2::FilteredRE2 filter(kShortest);
  int id = 0;
  const bool quotes = pattern.find("\\Q") != pattern.npos;
  if (quotes || filter.Add(WithBoundaries(pattern), PatternOptions(), &id) !=
                    re2::RE2::NoError) {
    return {};
  }
  const PatternAtoms atoms(pattern, &filter);
  auto words = atoms.Cover([&](const std::string& atom) {
    std::string word = WordOf(atoms.PieceOf(MarkBoundaries(atom)));
    return SaysMore(word, any) ? word : std::string();
  });
  if (words.size() > kMost) words.clear();
  return words;
}

}  // namespace inquest::rules
