// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/signature_sieve.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace inquest::rules {
namespace {

constexpr int kHashBits = 17;  // 16 KiB of bits a table: all fit the L1 cache
constexpr size_t kStride[3] = {8, 4, 1};

// Of a literal of this length.
size_t TableOf(size_t length) {
  return length >= 11 ? 0 : length >= 7 ? 1 : 2;
}

uint32_t Load(const char* at) {
  uint32_t bytes;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes |
         0x20202020;  // folds letters and a few others, which is harmless
}

// Eight bytes that no literal has: their pieces look like those of blanks.
bool IsNul(const char* at) {
  uint64_t bytes;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes == 0;
}

uint32_t Hash(uint32_t bytes) {
  return bytes * 2654435761U >> (32 - kHashBits);
}

// Roughly how rare a byte is in logs: its index in this list.
int Rarity(char c) {
  constexpr std::string_view kCommon =
      " etaoinsr0l1cdup.m_2g/:fh=-b34y5,v6kw78x9'()j\"q[z]";
  const size_t at = kCommon.find(c);
  return static_cast<int>(at == kCommon.npos ? kCommon.size() : at);
}

int Rarity(std::string_view piece) {
  int sum = 0;
  for (const char c : piece) sum += Rarity(c);
  return sum;
}

// The beginning of the range of `length` bytes whose most common piece is
// rarest.
size_t RarestStretch(std::string_view literal, size_t length) {
  size_t best = 0;
  int best_worst = -1;
  for (size_t begin = 0; begin + length <= literal.size(); ++begin) {
    int worst = 1 << 20;
    for (size_t i = begin; i + 4 <= begin + length; ++i) {
      worst = std::min(worst, Rarity(literal.substr(i, 4)));
    }
    if (worst > best_worst) {
      best_worst = worst;
      best = begin;
    }
  }
  return best;
}

}  // namespace

Sieve::Sieve() {
  for (size_t i = 0; i < tables_.size(); ++i) tables_[i].stride = kStride[i];
}

void Sieve::Add(std::string_view literal, uint32_t owner, uint32_t group) {
  const auto [known, is_new] =
      by_text_.emplace(literal, static_cast<uint32_t>(literals_.size()));
  if (is_new) {
    const uint32_t last = Load(literal.data() + literal.size() - kShortest);
    literals_.push_back({std::string(literal), last, {}, {}});
  }
  literals_[known->second].owners.push_back(owner);
  literals_[known->second].groups.push_back(group);
}

// Hundreds of literals with a piece in common would each be compared wherever
// it occurs. They become one literal, the piece itself: more lines then reach
// RE2, and no match is lost.
void Sieve::MergeCrowded() {
  constexpr size_t kCrowd = 256;
  std::unordered_map<std::string, std::vector<uint32_t>> sharing;
  for (uint32_t i = 0; i < literals_.size(); ++i) {
    const std::string& text = literals_[i].text;
    const size_t stride = kStride[TableOf(text.size())];
    const size_t begin = RarestStretch(text, stride + 3);
    for (size_t at = begin; at < begin + stride; ++at) {
      std::vector<uint32_t>& here = sharing[text.substr(at, kShortest)];
      if (here.empty() || here.back() != i) here.push_back(i);
    }
  }
  for (const auto& [piece, all] : sharing) {
    if (all.size() < kCrowd) continue;
    Literal merged{piece, Load(piece.data()), {}, {}};
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
  MergeCrowded();
  for (Table& table : tables_) {
    table.bits.assign((size_t{1} << kHashBits) / 64, 0);
    table.pieces.clear();
  }
  for (uint32_t i = 0; i < literals_.size(); ++i) {
    const size_t length = literals_[i].text.size();
    AddPieces(&tables_[TableOf(length)], i);
  }
  for (Table& table : tables_) {
    std::sort(table.pieces.begin(), table.pieces.end(),
              [](const Piece& a, const Piece& b) {
                return Hash(a.bytes) < Hash(b.bytes);
              });
    table.first.assign((size_t{1} << kHashBits) + 1, 0);
    for (const Piece& piece : table.pieces) {
      ++table.first[Hash(piece.bytes) + 1];
      table.bits[Hash(piece.bytes) >> 6] |= uint64_t{1}
                                            << (Hash(piece.bytes) & 63);
    }
    for (size_t i = 1; i < table.first.size(); ++i) {
      table.first[i] += table.first[i - 1];
    }
  }
}

void Sieve::AddPieces(Table* table, uint32_t literal) {
  const std::string& text = literals_[literal].text;
  const size_t begin = RarestStretch(text, table->stride + 3);
  for (size_t i = begin; i < begin + table->stride; ++i) {
    table->pieces.push_back(
        {Load(text.data() + i), literal, static_cast<uint32_t>(i)});
  }
}

// Compares the candidates of the bitmap in full. True: `visit` asked to stop.
template <typename Visit>
bool Sieve::Look(const Table& table, std::string_view text, size_t at,
                 Visit visit) const {
  const uint32_t bytes = Load(text.data() + at);
  const uint32_t hash = Hash(bytes);
  for (uint32_t i = table.first[hash]; i < table.first[hash + 1]; ++i) {
    const Piece& piece = table.pieces[i];
    if (piece.bytes != bytes || piece.offset > at) continue;
    const Literal& literal = literals_[piece.literal];
    const size_t begin = at - piece.offset;
    const size_t end = begin + literal.text.size();
    // Many literals may share a piece; most differ in their ends.
    if (end > text.size() || Load(text.data() + end - 4) != literal.last) {
      continue;
    }
    const bool equal =
        std::equal(literal.text.begin(), literal.text.end(),
                   text.begin() + static_cast<std::ptrdiff_t>(begin),
                   [](char want, char have) { return want == ToLower(have); });
    if (equal && visit(at, literal)) return true;
  }
  return false;
}

// Eight positions per round. The order within a round varies, but later rounds
// have only larger positions.
template <typename Visit>
void Sieve::Scan(std::string_view text, size_t from, Visit visit) const {
  const auto& [by8, by4, by1] = tables_;
  const bool any4 = !by4.pieces.empty();
  const bool any1 = !by1.pieces.empty();
  const auto probe = [&](const Table& table, size_t at) {
    return table.Has(Hash(Load(text.data() + at)));
  };
  size_t at = from;
  for (; at + 11 <= text.size(); at += 8) {
    bool hit = probe(by8, at);
    if (any4) hit |= probe(by4, at) | probe(by4, at + 4);
    if (any1) {
      for (size_t i = 0; i < 8; ++i) hit |= probe(by1, at + i);
    }
    if (!hit || IsNul(text.data() + at)) continue;
    bool stop = probe(by8, at) && Look(by8, text, at, visit);
    for (size_t i = 0; i < 8 && !stop; ++i) {
      const size_t place = at + i;
      if (any4 && i % 4 == 0 && probe(by4, place)) {
        stop |= Look(by4, text, place, visit);
      }
      if (any1 && probe(by1, place)) stop |= Look(by1, text, place, visit);
    }
    if (stop) return;
  }
  for (size_t i = 0; at + i + 4 <= text.size(); ++i) {
    bool stop = any1 && Look(by1, text, at + i, visit);
    if (any4 && i % 4 == 0) stop |= Look(by4, text, at + i, visit);
    if (i % 8 == 0) stop |= Look(by8, text, at + i, visit);
    if (stop) return;
  }
}

std::vector<Sieve::Mark> Sieve::FindAll(std::string_view text) const {
  std::vector<Mark> marks;
  Scan(text, 0, [&](size_t at, const Literal& literal) {
    marks.push_back({static_cast<uint32_t>(at),
                     static_cast<uint32_t>(&literal - literals_.data())});
    // Only those of one round may be out of order.
    for (size_t i = marks.size() - 1; i > 0 && marks[i].at < marks[i - 1].at;
         --i) {
      std::swap(marks[i], marks[i - 1]);
    }
    return false;
  });
  return marks;
}

bool Sieve::IsWanted(uint32_t literal, const Muted& muted) const {
  const auto& groups = literals_[literal].groups;
  return muted.empty() ||
         std::any_of(groups.begin(), groups.end(),
                     [&](uint32_t group) { return muted[group] == 0; });
}

void Sieve::Owners(std::string_view text, std::vector<uint32_t>* owners) const {
  std::vector<bool> seen(literals_.size());
  Scan(text, 0, [&](size_t, const Literal& literal) {
    const auto index = static_cast<size_t>(&literal - literals_.data());
    if (seen[index]) return false;
    seen[index] = true;
    owners->insert(owners->end(), literal.owners.begin(), literal.owners.end());
    return false;
  });
}

}  // namespace inquest::rules
