// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/signature_literals.h"

#include <re2/filtered_re2.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "analyzer/rules/signatures/common_words.h"
#include "analyzer/rules/signatures/signature_pattern.h"

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

// The longest piece of an atom that a search for ASCII bytes can rely on. With
// folding, 'k' also matches the Kelvin sign and 's' the long s.
std::string UsablePiece(const std::string& atom, bool folds) {
  std::string best;
  std::string piece;
  for (const char c : atom + '\xFF') {
    const bool usable = static_cast<unsigned char>(c) < 0x80 &&
                        !(folds && (c == 'k' || c == 's'));
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
// monotone: a set of atoms covers it when the pattern is no candidate while all
// of them are missing. Starting from all usable atoms, the least useful are
// dropped while the rest still covers it.
std::vector<std::string> LiteralsOf(const std::string& pattern, size_t shortest,
                                    re2::FilteredRE2* filtered) {
  std::vector<std::string> atoms;
  filtered->Compile(&atoms);
  const re2::FilteredRE2& filter = *filtered;
  const bool folds = FoldsCase(pattern);
  std::vector<std::pair<std::string, int>> cover;
  std::vector<int> present;
  for (size_t i = 0; i < atoms.size(); ++i) {
    std::string piece = UsablePiece(atoms[i], folds);
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

}  // namespace

TakenApart TakeApart(const std::string& pattern, size_t shortest) {
  const auto filter =
      std::make_shared<re2::FilteredRE2>(static_cast<int>(shortest));
  int id = 0;
  if (filter->Add(pattern, PatternOptions(), &id) != re2::RE2::NoError) {
    return {std::make_shared<re2::RE2>(pattern, PatternOptions()), {}};
  }
  return {{filter, &filter->GetRE2(id)},
          LiteralsOf(pattern, shortest, filter.get())};
}

std::vector<std::string> RequiredLiterals(const std::string& pattern,
                                          size_t shortest) {
  return TakeApart(pattern, shortest).literals;
}

}  // namespace inquest::rules
