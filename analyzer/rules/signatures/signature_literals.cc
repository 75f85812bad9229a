// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/signature_literals.h"

#include <re2/filtered_re2.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

#include "analyzer/rules/signatures/common_words.h"
#include "analyzer/rules/signatures/signature_pattern.h"
#include "analyzer/rules/signatures/word_list.h"

namespace inquest::rules {
namespace {

// "(?i)", "(?is:" …: letters may then match letters outside ASCII.
bool FoldsCase(std::string_view pattern) {
  for (size_t at = pattern.find("(?"); at != pattern.npos;
       at = pattern.find("(?", at + 2)) {
    for (size_t i = at + 2; i < pattern.size(); ++i) {
      if (pattern[i] == 'i') return true;
      if (std::string_view("msU-").find(pattern[i]) == std::string_view::npos) {
        break;
      }
    }
  }
  return false;
}

bool IsAscii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

// Whether all letters outside ASCII are small ones of Latin-1 (U+00DF to
// U+00FF) or of U+3000 to U+9FFF, where letters have no case: RE2 lowers atoms,
// so others may differ from the text. Escapes may stand for any letter.
bool KeepsItsLetters(std::string_view pattern) {
  unsigned char lead = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const auto c = static_cast<unsigned char>(pattern[i]);
    const std::string_view two = pattern.substr(i, 2);
    if (two == "\\x" || two == "\\p" || two == "\\P") return false;
    if (lead == 0xC3 && c < 0x9F) return false;
    lead = c >= 0xC0 ? c : 0;
    if (lead != 0 && lead != 0xC3 && (lead < 0xE3 || lead > 0xE9)) return false;
  }
  return true;
}

// The longest piece of an atom that a search for bytes can rely on. With
// folding, 'k' also matches the Kelvin sign and 's' the long s.
std::string UsablePiece(const std::string& atom, bool folds, bool keeps) {
  std::string best;
  std::string piece;
  for (const char c : atom + '\xFF') {
    const bool usable = folds ? IsAscii(c) && c != 'k' && c != 's'
                              : IsAscii(c) || (keeps && c != '\xFF');
    if (usable) {
      piece += c;
      continue;
    }
    if (piece.size() > best.size()) best = piece;
    piece.clear();
  }
  return best;
}

// Common words last, then by length.
std::tuple<bool, size_t, std::string_view> Worth(const std::string& literal) {
  return {!IsCommonWord(literal), literal.size(), literal};
}

bool Potential(const re2::FilteredRE2& filter, const std::vector<int>& atoms) {
  std::vector<int> regexps;
  filter.AllPotentials(atoms, &regexps);
  return !regexps.empty();
}

// A pattern's condition is built of "and" and "or" over atoms and is therefore
// monotone: a set of atoms covers it if the pattern is not a candidate while
// all of them are missing. Starting from all usable atoms, the least useful are
// dropped while the rest still covers it.
std::vector<std::string> LiteralsOf(const std::string& pattern, size_t shortest,
                                    re2::FilteredRE2* filtered) {
  std::vector<std::string> atoms;
  filtered->Compile(&atoms);
  const re2::FilteredRE2& filter = *filtered;
  const bool folds = FoldsCase(pattern);
  const bool keeps = KeepsItsLetters(pattern);
  std::vector<std::pair<std::string, int>> cover;
  std::vector<int> present;
  for (size_t i = 0; i < atoms.size(); ++i) {
    std::string piece = UsablePiece(atoms[i], folds, keeps);
    if (piece.size() < shortest) {
      present.push_back(static_cast<int>(i));
    } else {
      cover.emplace_back(std::move(piece), static_cast<int>(i));
    }
  }
  if (cover.empty() || Potential(filter, present)) return {};
  std::sort(cover.begin(), cover.end(), [](const auto& a, const auto& b) {
    return Worth(a.first) < Worth(b.first);
  });
  std::vector<std::string> literals;
  for (const auto& [literal, atom] : cover) {
    present.push_back(atom);
    if (!Potential(filter, present)) continue;  // the rest covers without it
    present.pop_back();
    literals.push_back(literal);
  }
  std::sort(literals.begin(), literals.end());
  literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
  return literals;
}

// RE2 gives up on a long list of words. Here it sees one word in their place;
// where that one is required, one of the list is. Empty: it is not.
std::vector<std::string> WordsRequired(const std::string& pattern,
                                       size_t shortest) {
  static const std::string kInstead = "zqonewordofmanyqz";
  auto list = FindWordList(pattern, shortest);
  if (!list) return {};
  std::string shorter = pattern;
  shorter.replace(list->begin, list->end - list->begin, kInstead);
  re2::FilteredRE2 filter(static_cast<int>(shortest));
  int id = 0;
  if (filter.Add(shorter, PatternOptions(), &id) != re2::RE2::NoError)
    return {};
  const auto literals = LiteralsOf(shorter, shortest, &filter);
  const bool required =
      !literals.empty() &&
      std::all_of(literals.begin(), literals.end(),
                  [](const std::string& literal) {
                    return literal.find(kInstead) != std::string::npos;
                  });
  if (!required) return {};
  std::sort(list->words.begin(), list->words.end());
  return std::move(list->words);
}

}  // namespace

TakenApart TakeApart(const std::string& pattern, size_t shortest) {
  const auto filter =
      std::make_shared<re2::FilteredRE2>(static_cast<int>(shortest));
  int id = 0;
  if (filter->Add(pattern, PatternOptions(), &id) != re2::RE2::NoError) {
    return {std::make_shared<re2::RE2>(pattern, PatternOptions()), {}};
  }
  auto literals = LiteralsOf(pattern, shortest, filter.get());
  auto words = WordsRequired(pattern, shortest);
  return {{filter, &filter->GetRE2(id)},
          std::move(words.empty() ? literals : words)};
}

std::vector<std::string> RequiredLiterals(const std::string& pattern,
                                          size_t shortest) {
  return TakeApart(pattern, shortest).literals;
}

}  // namespace inquest::rules
