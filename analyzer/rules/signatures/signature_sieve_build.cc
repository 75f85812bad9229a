// SPDX-License-Identifier: Apache-2.0
// Which pieces of the literals come into the tables. Done at each start of the
// program, for thousands of literals.
#include <algorithm>
#include <utility>

#include "analyzer/rules/signatures/signature_sieve.h"
#include "analyzer/rules/signatures/signature_sieve_hash.h"

namespace inquest::rules {

using sieve::BitOf;
using sieve::Hash;
using sieve::kBitmapBits;
using sieve::kHashBits;
using sieve::kStride;
using sieve::Load;
using sieve::TableOf;

namespace {

// Roughly how rare each byte is in logs: its index in this list.
constexpr std::array<uint8_t, 256> kRarity = [] {
  constexpr std::string_view kCommon =
      " etaoinsr0l1cdup.m_2g/:fh=-b34y5,v6kw78x9'()j\"q[z]";
  std::array<uint8_t, 256> rarity{};
  rarity.fill(static_cast<uint8_t>(kCommon.size()));
  for (size_t i = 0; i < kCommon.size(); ++i) {
    rarity[static_cast<unsigned char>(kCommon[i])] = static_cast<uint8_t>(i);
  }
  return rarity;
}();

// Of the four bytes from `at` on.
int Rarity(std::string_view text, size_t at) {
  int sum = 0;
  for (size_t i = at; i < at + 4; ++i) {
    sum += kRarity[static_cast<unsigned char>(text[i])];
  }
  return sum;
}

// The beginning of the range of `count` successive pieces whose most common one
// is rarest.
uint32_t RarestStretch(std::string_view literal, size_t count) {
  uint32_t best = 0;
  int best_worst = -1;
  for (size_t begin = 0; begin + count + 3 <= literal.size(); ++begin) {
    int worst = 1 << 20;
    for (size_t i = begin; i < begin + count && worst > best_worst; ++i) {
      worst = std::min(worst, Rarity(literal, i));
    }
    if (worst > best_worst) {
      best_worst = worst;
      best = static_cast<uint32_t>(begin);
    }
  }
  return best;
}

}  // namespace

void Sieve::Add(std::string_view literal, uint32_t owner, uint32_t group) {
  const auto [known, is_new] =
      by_text_.emplace(literal, static_cast<uint32_t>(literals_.size()));
  if (is_new) {
    const uint32_t last = Load(literal.data() + literal.size() - kShortest);
    literals_.push_back({std::string(literal), last, 0, {}, {}});
  }
  literals_[known->second].owners.push_back(owner);
  literals_[known->second].groups.push_back(group);
}

// Calls visit(place) for each piece of the literal that will be in a table.
template <typename Visit>
void Sieve::ForEachPiece(const Literal& literal, Visit visit) {
  const size_t stride = kStride[TableOf(literal.text.size())];
  for (size_t at = literal.begin; at < literal.begin + stride; ++at) visit(at);
}

// The literals that have each of the pieces that many share. Most pieces are
// rare: it is enough to count them by their hashes to leave these out.
Sieve::Crowds Sieve::FindCrowds() const {
  constexpr uint32_t kCrowd = 256;
  std::vector<uint32_t> count(size_t{1} << kHashBits);
  for (const Literal& one : literals_) {
    ForEachPiece(one, [&](size_t at) { ++count[Hash(Load(&one.text[at]))]; });
  }
  Crowds crowds;
  for (uint32_t i = 0; i < literals_.size(); ++i) {
    const std::string& text = literals_[i].text;
    ForEachPiece(literals_[i], [&](size_t at) {
      if (count[Hash(Load(&text[at]))] < kCrowd) return;
      std::vector<uint32_t>& here = crowds[text.substr(at, kShortest)];
      if (here.empty() || here.back() != i) here.push_back(i);
    });
  }
  std::erase_if(crowds,
                [](const auto& one) { return one.second.size() < kCrowd; });
  return crowds;
}

// Hundreds of literals with a piece in common would each be compared wherever
// it occurs. They become one literal, the piece itself: more lines then reach
// RE2, and no match is lost.
void Sieve::MergeCrowded() {
  for (const auto& [piece, all] : FindCrowds()) {
    Literal merged{piece, Load(piece.data()), 0, {}, {}};
    for (const uint32_t i : all) {
      Literal& old = literals_[i];
      merged.owners.insert(merged.owners.end(), old.owners.begin(),
                           old.owners.end());
      merged.groups.insert(merged.groups.end(), old.groups.begin(),
                           old.groups.end());
      old = {};
    }
    literals_.push_back(std::move(merged));
  }
  std::erase_if(literals_, [](const Literal& one) { return one.text.empty(); });
}

void Sieve::Build() {
  for (Literal& one : literals_) {
    one.begin = RarestStretch(one.text, kStride[TableOf(one.text.size())]);
  }
  MergeCrowded();
  for (Table& table : tables_) {
    table.bits.assign((size_t{1} << kBitmapBits) / 64, 0);
    table.first.assign((size_t{1} << kHashBits) + 1, 0);
  }
  for (const Literal& one : literals_) CountPieces(one);
  for (Table& table : tables_) {
    for (size_t i = 1; i < table.first.size(); ++i) {
      table.first[i] += table.first[i - 1];
    }
    table.pieces.resize(table.first.back());
  }
  for (uint32_t i = 0; i < literals_.size(); ++i) PlacePieces(i);
}

// Their sums then say where in the table the pieces of each hash end.
void Sieve::CountPieces(const Literal& literal) {
  Table& table = tables_[TableOf(literal.text.size())];
  ForEachPiece(literal, [&](size_t at) {
    const uint32_t bytes = Load(&literal.text[at]);
    ++table.first[Hash(bytes)];
    table.bits[BitOf(bytes) >> 6] |= uint64_t{1} << (BitOf(bytes) & 63);
  });
}

// From the end down, so that at last each number says where they begin.
void Sieve::PlacePieces(uint32_t literal) {
  const std::string& text = literals_[literal].text;
  Table& table = tables_[TableOf(text.size())];
  ForEachPiece(literals_[literal], [&](size_t at) {
    const uint32_t bytes = Load(&text[at]);
    table.pieces[--table.first[Hash(bytes)]] = {bytes, literal,
                                                static_cast<uint32_t>(at)};
  });
}

}  // namespace inquest::rules
