// SPDX-License-Identifier: Apache-2.0
// The tables in use; signature_sieve_build.cc fills them.
#include "analyzer/rules/signatures/signature_sieve.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "analyzer/rules/signatures/signature_sieve_hash.h"
#include "base/text.h"

namespace inquest::rules {
namespace {

using sieve::BitOf;
using sieve::Hash;
using sieve::Load;

// Eight bytes that no literal has: their pieces look like those of blanks.
bool IsNul(const char* at) {
  uint64_t bytes;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes == 0;
}

}  // namespace

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

// Eight positions per round, and in `hits` a bit for each probe: of the first
// table, of the second at 0 and 4, of the third at 0 to 7. The order within a
// round varies, but later rounds have only larger positions.
template <typename Visit>
void Sieve::Scan(std::string_view text, size_t from, Visit visit) const {
  const auto& [by8, by4, by1] = tables_;
  const auto probe = [&](const Table& table, size_t at) {
    return table.Has(BitOf(Load(text.data() + at)));
  };
  const auto look = [&](int hit, size_t at) {
    if (hit == 0) return Look(by8, text, at, visit);
    if (hit < 3) return Look(by4, text, at + (hit == 2 ? 4 : 0), visit);
    return Look(by1, text, at + static_cast<size_t>(hit) - 3, visit);
  };
  size_t at = from;
  for (; at + 11 <= text.size(); at += 8) {
    uint32_t hits =
        probe(by8, at) | probe(by4, at) << 1 | probe(by4, at + 4) << 2;
    for (size_t i = 0; i < 8; ++i) hits |= probe(by1, at + i) << (i + 3);
    if (hits == 0 || IsNul(text.data() + at)) continue;
    for (; hits != 0; hits &= hits - 1) {
      if (look(std::countr_zero(hits), at)) return;
    }
  }
  for (size_t i = 0; at + i + 4 <= text.size(); ++i) {
    bool stop = Look(by1, text, at + i, visit);
    if (i % 4 == 0) stop |= Look(by4, text, at + i, visit);
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
