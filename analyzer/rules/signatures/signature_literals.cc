// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/signature_literals.h"

#include <re2/filtered_re2.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "analyzer/rules/signatures/also_required.h"
#include "analyzer/rules/signatures/common_words.h"
#include "analyzer/rules/signatures/pattern_atoms.h"
#include "analyzer/rules/signatures/signature_pattern.h"
#include "analyzer/rules/signatures/word_list.h"

namespace inquest::rules {
namespace {

std::vector<std::string> RequiredOf(const std::string& pattern, size_t shortest,
                                    re2::FilteredRE2* filter) {
  const PatternAtoms atoms(pattern, filter);
  return atoms.Cover([&](const std::string& atom) {
    std::string piece = atoms.PieceOf(atom);
    return piece.size() < shortest ? std::string() : piece;
  });
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
  const auto literals = RequiredOf(shorter, shortest, &filter);
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

// Without those that have another one inside: "tokens" beside "token".
std::vector<std::string> Shortest(const std::vector<std::string>& literals) {
  constexpr size_t kMost = 256;  // the time grows with the square
  if (literals.size() > kMost) return literals;
  std::vector<std::string> shortest;
  std::copy_if(literals.begin(), literals.end(), std::back_inserter(shortest),
               [&](const std::string& one) {
                 return std::none_of(literals.begin(), literals.end(),
                                     [&](const std::string& other) {
                                       return other != one &&
                                              one.find(other) != one.npos;
                                     });
               });
  return shortest;
}

}  // namespace

TakenApart TakeApart(const std::string& pattern, size_t shortest) {
  const auto filter =
      std::make_shared<re2::FilteredRE2>(static_cast<int>(shortest));
  int id = 0;
  if (filter->Add(pattern, PatternOptions(), &id) != re2::RE2::NoError) {
    return {std::make_shared<re2::RE2>(pattern, PatternOptions()), {}};
  }
  auto literals = RequiredOf(pattern, shortest, filter.get());
  auto words = WordsRequired(pattern, shortest);
  Literals found{Shortest(words.empty() ? literals : words), {}};
  if (std::any_of(found.any.begin(), found.any.end(), IsOfCommonWords)) {
    found.also = AlsoRequired(pattern, found.any);
  }
  return {{filter, &filter->GetRE2(id)}, std::move(found)};
}

Literals LiteralsOf(const std::string& pattern, size_t shortest) {
  return TakeApart(pattern, shortest).literals;
}

}  // namespace inquest::rules
