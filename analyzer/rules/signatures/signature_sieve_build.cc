// SPDX-License-Identifier: Apache-2.0
// Which pieces of the literals come into the table. Done at each start of the
// program, for thousands of literals.
#include <algorithm>
#include <climits>
#include <map>
#include <numeric>
#include <utility>

#include "analyzer/rules/signatures/common_pieces.h"
#include "analyzer/rules/signatures/signature_sieve.h"
#include "analyzer/rules/signatures/signature_sieve_hash.h"

namespace inquest::rules {

using sieve::BitOf;
using sieve::Hash;
using sieve::kBitmapBits;
using sieve::kHashBits;
using sieve::Load;

std::vector<uint32_t> Sieve::NumbersOf(const std::vector<std::string>& words) {
  std::vector<uint32_t> numbers;
  for (const std::string& word : words) {
    const auto [known, is_new] =
        by_word_.emplace(word, static_cast<uint32_t>(words_.size()));
    if (is_new) words_.emplace_back(word);
    numbers.push_back(known->second);
  }
  return numbers;
}

// A literal in a thousand patterns would otherwise have a thousand parts to be
// looked for wherever it occurs.
Sieve::Part* Sieve::PartOf(const std::string& literal,
                           std::vector<uint32_t> also) {
  const auto [known, is_new] =
      by_text_.emplace(literal, static_cast<uint32_t>(literals_.size()));
  if (is_new) literals_.push_back({literal, 0, {}});
  auto& parts = literals_[known->second].parts;
  const auto find = [&] {
    return std::find_if(parts.begin(), parts.end(),
                        [&](const Part& one) { return one.also == also; });
  };
  if (find() == parts.end() && parts.size() + 1 >= kMostParts) also = {};
  if (find() == parts.end()) parts.push_back({also, {}, {}});
  return &*find();
}

void Sieve::Add(const Literals& literals, uint32_t owner, uint32_t group) {
  const std::vector<uint32_t> also = NumbersOf(literals.also);
  for (const std::string& literal : literals.any) {
    Part* part = PartOf(literal, also);
    part->owners.push_back(owner);
    part->groups.push_back(group);
  }
}

// A piece in a hundred literals would be compared with each of them wherever it
// occurs.
void Sieve::ChoosePieces() {
  std::vector<int> sharers(size_t{1} << kHashBits);
  const auto for_each_piece = [](const Literal& one, auto visit) {
    for (uint32_t at = 0; at + kShortest <= one.text.size(); ++at) {
      visit(at, Load(&one.text[at]));
    }
  };
  for (const Literal& one : literals_) {
    for_each_piece(one,
                   [&](uint32_t, uint32_t bytes) { ++sharers[Hash(bytes)]; });
  }
  const CommonPieces common;
  for (Literal& one : literals_) {
    int best = INT_MIN;
    for_each_piece(one, [&](uint32_t at, uint32_t bytes) {
      const int worth = -common.CountOf(bytes) - sharers[Hash(bytes)];
      if (worth <= best) return;
      best = worth;
      one.piece = at;
    });
  }
}

// Hundreds of literals with the same piece become one literal, the piece
// itself: more lines then reach RE2, and no match is lost.
void Sieve::MergeCrowded() {
  constexpr size_t kCrowd = 256;
  std::map<std::string, std::vector<uint32_t>> sharers;
  for (uint32_t i = 0; i < literals_.size(); ++i) {
    sharers[literals_[i].text.substr(literals_[i].piece, kShortest)].push_back(
        i);
  }
  for (const auto& [piece, all] : sharers) {
    if (all.size() < kCrowd) continue;
    Part merged;
    for (const uint32_t i : all) {
      for (const Part& part : literals_[i].parts) {
        merged.owners.insert(merged.owners.end(), part.owners.begin(),
                             part.owners.end());
        merged.groups.insert(merged.groups.end(), part.groups.begin(),
                             part.groups.end());
      }
      literals_[i] = {};
    }
    literals_.push_back({piece, 0, {std::move(merged)}});
  }
  std::erase_if(literals_, [](const Literal& one) { return one.text.empty(); });
}

void Sieve::Place(uint32_t literal) {
  const auto& [text, piece, parts] = literals_[literal];
  const uint32_t bytes = Load(&text[piece]);
  pieces_.push_back({bytes, literal, piece,
                     static_cast<uint32_t>(texts_.size()),
                     static_cast<uint32_t>(text.size())});
  texts_ += text;
  bits_[BitOf(bytes) >> 6] |= uint64_t{1} << (BitOf(bytes) & 63);
  ++first_[Hash(bytes) + 1];
}

void Sieve::Build() {
  ChoosePieces();
  MergeCrowded();
  bits_.assign((size_t{1} << kBitmapBits) / 64, 0);
  first_.assign((size_t{1} << kHashBits) + 1, 0);
  for (uint32_t i = 0; i < literals_.size(); ++i) Place(i);
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::stable_sort(pieces_.begin(), pieces_.end(),
                   [](const Piece& a, const Piece& b) {
                     return Hash(a.bytes) < Hash(b.bytes);
                   });
  for (Literal& one : literals_) {
    for (Part& part : one.parts) {
      auto& groups = part.groups;
      std::sort(groups.begin(), groups.end());
      groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    }
  }
}

}  // namespace inquest::rules
