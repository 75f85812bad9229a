// SPDX-License-Identifier: Apache-2.0
// Finds, in blocks of many lines, the places of required literals. This
// determines how fast logs are read, because nearly all lines have none.
//
// A literal of length L has L-3 pieces of four bytes. If the pieces of the
// first s+3 bytes are all in a table, it is enough to probe every s-th position
// of the text: one of the s successive pieces must begin there. The probes do
// not depend on each other, so the processor overlaps them, unlike the steps of
// an automaton. Literals are sorted into three tables by length (s = 8, 4, 1);
// within a long literal the range with the rarest letters is taken. A probe
// tests one bit of a hashed bitmap; only its hits are compared in full.
//
// Built once by SignatureSet; const members may be called by many threads.
// Letters compare without case (ASCII). Literals: lower case, >= kShortest.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace inquest::rules {

class Sieve {
 public:
  static constexpr size_t kShortest = 4;

  // `owner`, a member of a group, needs this literal or another that was added
  // for it. Groups are muted as a whole.
  void Add(std::string_view literal, uint32_t owner, uint32_t group);
  void Build();

  // Groups to skip: muted[group] != 0. Empty: none is skipped.
  using Muted = std::vector<uint8_t>;

  // A position within a literal.
  struct Mark {
    uint32_t at;       // byte of the text
    uint32_t literal;  // for IsWanted
  };
  // All literals in a text of less than 4 GiB, in the order of their positions.
  std::vector<Mark> FindAll(std::string_view text) const;
  // Whether one of the literal's groups is not muted.
  bool IsWanted(uint32_t literal, const Muted& muted) const;
  // Adds the owners of all literals in `text`, unordered, perhaps twice.
  void Owners(std::string_view text, std::vector<uint32_t>* owners) const;

 private:
  struct Piece {
    uint32_t bytes;    // four, folded
    uint32_t literal;  // index into literals_
    uint32_t offset;   // of the piece in the literal
  };
  struct Literal {
    std::string text;
    uint32_t last = 0;   // its last four bytes, folded
    uint32_t begin = 0;  // of the range that is in a table
    std::vector<uint32_t> owners;
    std::vector<uint32_t> groups;  // of the owners, perhaps repeated
  };
  struct Table {
    std::vector<uint64_t> bits;
    std::vector<Piece> pieces;    // sorted by hash
    std::vector<uint32_t> first;  // hash -> index into pieces
    // 1 if a piece may have that bit, else 0.
    uint32_t Has(uint32_t bit) const {
      return static_cast<uint32_t>(bits[bit >> 6] >> (bit & 63) & 1);
    }
  };

  // Literals that share a piece, by the piece.
  using Crowds = std::map<std::string, std::vector<uint32_t>>;

  template <typename Visit>
  static void ForEachPiece(const Literal& literal, Visit visit);
  Crowds FindCrowds() const;
  void MergeCrowded();
  void CountPieces(const Literal& literal);
  void PlacePieces(uint32_t literal);
  template <typename Visit>
  bool Look(const Table& table, std::string_view text, size_t at,
            Visit visit) const;
  template <typename Visit>
  void Scan(std::string_view text, size_t from, Visit visit) const;

  std::vector<Literal> literals_;
  std::unordered_map<std::string, uint32_t> by_text_;  // index into literals_
  std::array<Table, 3> tables_;
};

}  // namespace inquest::rules
