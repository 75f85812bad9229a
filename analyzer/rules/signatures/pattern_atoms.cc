// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/pattern_atoms.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyzer/rules/signatures/common_words.h"

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

// Common words least, then by length.
std::tuple<bool, size_t, std::string_view> Worth(const std::string& literal) {
  return {!IsCommonWord(literal), literal.size(), literal};
}

}  // namespace

PatternAtoms::PatternAtoms(const std::string& pattern, re2::FilteredRE2* filter)
    : filter_(*filter),
      keeps_(KeepsItsLetters(pattern) && !FoldsCase(pattern)) {
  filter->Compile(&atoms_);
}

// With folding, RE2 also lets the Kelvin sign stand for 'k' and the long s for
// 's', which no log does: a word of them is not found.
std::string PatternAtoms::PieceOf(const std::string& atom) const {
  std::string best;
  std::string piece;
  for (const char c : atom + '\xFF') {
    if (IsAscii(c) || (keeps_ && c != '\xFF')) {
      piece += c;
      continue;
    }
    if (piece.size() > best.size()) best = piece;
    piece.clear();
  }
  return best;
}

bool PatternAtoms::IsPotential(const std::vector<int>& present) const {
  std::vector<int> patterns;
  filter_.AllPotentials(present, &patterns);
  return !patterns.empty();
}

// A pattern's condition is built of "and" and "or" over atoms and is therefore
// monotone: a set of atoms covers it if the pattern is not a candidate while
// all of them are missing. Starting from all usable atoms, the least useful are
// dropped while the rest still covers it.
std::vector<std::string> PatternAtoms::Cover(const Usable& usable) const {
  std::vector<std::pair<std::string, int>> texts;
  std::vector<int> present;  // the others
  for (int i = 0; i < std::ssize(atoms_); ++i) {
    std::string text = usable(atoms_[static_cast<size_t>(i)]);
    if (text.empty()) {
      present.push_back(i);
    } else {
      texts.emplace_back(std::move(text), i);
    }
  }
  if (texts.empty() || IsPotential(present)) return {};
  std::sort(texts.begin(), texts.end(), [](const auto& a, const auto& b) {
    return Worth(a.first) < Worth(b.first);
  });
  std::vector<std::string> cover;
  for (const auto& [text, atom] : texts) {
    present.push_back(atom);
    if (!IsPotential(present)) continue;  // the rest covers without it
    present.pop_back();
    cover.push_back(text);
  }
  std::sort(cover.begin(), cover.end());
  cover.erase(std::unique(cover.begin(), cover.end()), cover.end());
  return cover;
}

}  // namespace inquest::rules
