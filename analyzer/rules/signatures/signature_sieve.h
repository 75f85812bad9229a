// SPDX-License-Identifier: Apache-2.0
// Finds, in blocks of many lines, the places of required literals. This
// determines how fast logs are read, because nearly all lines have none.
//
// Of each literal, four successive bytes are in a table: its piece, the one
// that ordinary lines and other literals have least. Each position of the text
// is probed for pieces. The probes do not depend on each other, so the
// processor overlaps them, unlike the steps of an automaton. A probe tests one
// bit of a hashed bitmap; only its hits are compared in full.
//
// Built once by SignatureSet; const members may be called by many threads.
// Letters compare without case (ASCII), and a few signs with others, which is
// harmless. Literals: lower case, >= kShortest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/rules/model/literals.h"
#include "analyzer/rules/signatures/also_words.h"

namespace inquest::rules {

class Sieve {
 public:
  static constexpr size_t kShortest = 4;

  // What the lines of `owner`, a member of a group, have. Groups are muted as a
  // whole.
  void Add(const Literals& literals, uint32_t owner, uint32_t group);
  void Build();

  // Groups to skip: muted[group] != 0. Empty: none is skipped.
  using Muted = std::vector<uint8_t>;

  // A position within a literal.
  struct Mark {
    uint32_t at;       // byte of the text
    uint32_t literal;  // for IsWanted
    uint32_t parts;    // the same
  };
  // The literals in a text of less than 4 GiB whose owners may have a match in
  // that line, or in one that the next line continues. In the order of their
  // positions.
  std::vector<Mark> FindAll(std::string_view text) const;
  // Whether such an owner's group is not muted.
  bool IsWanted(const Mark& mark, const Muted& muted) const;
  // Adds those that may have a match in the line, unordered, perhaps twice.
  void Owners(std::string_view line, const Muted& muted,
              std::vector<uint32_t>* owners) const;

 private:
  struct Piece {
    uint32_t bytes;  // four, folded
    uint32_t literal;
    uint32_t before;  // bytes of the literal before the piece
    uint32_t begin;   // of the literal in texts_
    uint32_t length;
  };
  // The owners that ask for the same words besides.
  struct Part {
    std::vector<uint32_t> also;  // one of these words_, if not empty
    std::vector<uint32_t> owners;
    std::vector<uint32_t> groups;  // of the owners
  };
  struct Literal {
    std::string text;
    uint32_t piece;  // its place in the text
    std::vector<Part> parts;
  };
  static constexpr size_t kMostParts = 16;
  class AlsoCheck;
  // 1 if a piece may have that bit, else 0.
  uint32_t Has(uint32_t bit) const {
    return static_cast<uint32_t>(bits_[bit >> 6] >> (bit & 63) & 1);
  }
  std::vector<uint32_t> NumbersOf(const std::vector<std::string>& words);
  Part* PartOf(const std::string& literal, std::vector<uint32_t> also);
  void ChoosePieces();
  void MergeCrowded();
  void Place(uint32_t literal);
  bool IsAt(const Piece& piece, std::string_view text, size_t at) const;
  template <typename Visit>
  void Look(std::string_view text, size_t at, Visit visit) const;
  template <typename Visit>
  void Scan(std::string_view text, Visit visit) const;
  template <typename Use>
  bool AnyPart(const Mark& mark, const Muted& muted, Use use) const;

  std::vector<Literal> literals_;
  std::unordered_map<std::string, uint32_t> by_text_;  // index into literals_
  std::vector<AlsoWord> words_;
  std::unordered_map<std::string, uint32_t> by_word_;  // index into words_
  std::vector<uint64_t> bits_;
  std::vector<Piece> pieces_;    // sorted by hash
  std::vector<uint32_t> first_;  // hash -> index into pieces_
  std::string texts_;            // of all literals, folded
};

}  // namespace inquest::rules
