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

// Longer lines are not searched for further words.
constexpr size_t kMaxLine = 4 << 10;

// Whether the lines before and after that line feed may be one that was broken
// (analyzer/logs/reader/log_folds.h).
bool MayGoOn(std::string_view text, size_t begin, size_t feed) {
  constexpr size_t kSameBeginning = 3;
  return feed > begin && feed + 1 < text.size() &&
         (IsWordCharacter(text[feed - 1]) || text[feed - 1] == '\r') &&
         IsWordCharacter(text[feed + 1]) &&
         text.substr(begin, kSameBeginning) !=
             text.substr(feed + 1, kSameBeginning);
}

// The line of that byte, and the next one if it may be its rest. Empty if they
// are too long.
std::string_view LinesAround(std::string_view text, size_t at) {
  const size_t earliest = at - std::min(at, kMaxLine);
  const size_t latest = std::min(text.size(), at + kMaxLine);
  const char* from = text.data() + earliest;
  const void* feed = memrchr(from, '\n', at - earliest);
  if (feed == nullptr && earliest > 0) return {};
  size_t begin = earliest;
  if (feed != nullptr) {
    begin += static_cast<size_t>(static_cast<const char*>(feed) - from) + 1;
  }
  const auto end_from = [&](size_t place) {
    return std::min(text.substr(0, latest).find('\n', place), latest);
  };
  size_t end = end_from(at);
  if (end < latest && MayGoOn(text, begin, end)) end = end_from(end + 1);
  if (end == latest && latest < text.size()) return {};
  return text.substr(begin, end - begin);
}

}  // namespace

// Four bytes at a time; the last ones overlap.
bool Sieve::IsAt(const Piece& piece, std::string_view text, size_t at) const {
  const bool fits =
      at >= piece.before && at - piece.before + piece.length <= text.size();
  if (!fits) return false;
  const char* have = text.data() + at - piece.before;
  const char* want = texts_.data() + piece.begin;
  const size_t last = piece.length - kShortest;
  for (size_t i = 0; i < last; i += kShortest) {
    if (Load(have + i) != Load(want + i)) return false;
  }
  return Load(have + last) == Load(want + last);
}

// Compares the candidates of the bitmap in full.
template <typename Visit>
void Sieve::Look(std::string_view text, size_t at, Visit visit) const {
  const uint32_t bytes = Load(text.data() + at);
  const uint32_t hash = Hash(bytes);
  for (uint32_t i = first_[hash]; i < first_[hash + 1]; ++i) {
    const Piece& piece = pieces_[i];
    if (piece.bytes == bytes && IsAt(piece, text, at)) visit(at, piece.literal);
  }
}

// Eight positions per round, and in `hits` a bit for each.
template <typename Visit>
void Sieve::Scan(std::string_view text, Visit visit) const {
  size_t at = 0;
  for (; at + 11 <= text.size(); at += 8) {
    uint32_t hits = 0;
    for (size_t i = 0; i < 8; ++i) {
      hits |= Has(BitOf(Load(text.data() + at + i))) << i;
    }
    if (hits == 0 || IsNul(text.data() + at)) continue;
    for (; hits != 0; hits &= hits - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(hits));
      Look(text, at + i, visit);
    }
  }
  for (; at + 4 <= text.size(); ++at) Look(text, at, visit);
}

// Remembers what it found in a line: a line may have hundreds of literals.
class Sieve::AlsoCheck {
 public:
  AlsoCheck(const std::vector<AlsoWord>& words, std::string_view text)
      : words_(words), text_(text), found_(words.size()) {}

  // The parts, a bit for each, that have what they ask for near that position.
  uint32_t PartsAt(size_t at, const Literal& literal) {
    uint32_t parts = 0;
    for (size_t i = 0; i < literal.parts.size(); ++i) {
      const auto& also = literal.parts[i].also;
      const bool has = also.empty() || std::any_of(also.begin(), also.end(),
                                                   [&](uint32_t word) {
                                                     return IsNear(at, word);
                                                   });
      if (has) parts |= 1U << i;
    }
    return parts;
  }

 private:
  struct Found {
    uint32_t line = 0;
    bool found = false;
  };
  bool IsNear(size_t at, uint32_t word) {
    if (line_ == 0 || at < begin_ || at >= end_) MoveTo(at);
    Found& known = found_[word];
    if (known.line != line_) {
      known = {line_, lines_.text().empty() || words_[word].IsIn(lines_)};
    }
    return known.found;
  }
  void MoveTo(size_t at) {
    lines_.Set(LinesAround(text_, at));
    ++line_;
    begin_ = at;
    end_ = std::min(text_.find('\n', at), at + kMaxLine);
  }

  const std::vector<AlsoWord>& words_;
  const std::string_view text_;
  std::vector<Found> found_;  // by index into words_
  FoldedText lines_;          // that line, and perhaps the next one
  uint32_t line_ = 0;         // counts the lines looked at
  size_t begin_ = 0;          // where it holds
  size_t end_ = 0;
};

std::vector<Sieve::Mark> Sieve::FindAll(std::string_view text) const {
  std::vector<Mark> marks;
  AlsoCheck check(words_, text);
  Scan(text, [&](size_t at, uint32_t literal) {
    const uint32_t parts = check.PartsAt(at, literals_[literal]);
    if (parts == 0) return;
    marks.push_back({static_cast<uint32_t>(at), literal, parts});
  });
  return marks;
}

// Calls use(part) for each of the mark's parts that is not muted, until one
// returns true; then true.
template <typename Use>
bool Sieve::AnyPart(const Mark& mark, const Muted& muted, Use use) const {
  const auto& parts = literals_[mark.literal].parts;
  for (uint32_t left = mark.parts; left != 0; left &= left - 1) {
    const Part& part = parts[static_cast<size_t>(std::countr_zero(left))];
    const bool is_muted =
        !muted.empty() &&
        std::all_of(part.groups.begin(), part.groups.end(),
                    [&](uint32_t group) { return muted[group] != 0; });
    if (!is_muted && use(part)) return true;
  }
  return false;
}

bool Sieve::IsWanted(const Mark& mark, const Muted& muted) const {
  return AnyPart(mark, muted, [](const Part&) { return true; });
}

void Sieve::Owners(std::string_view line, const Muted& muted,
                   std::vector<uint32_t>* owners) const {
  std::vector<bool> seen(literals_.size());
  for (const Mark& mark : FindAll(line)) {
    if (seen[mark.literal]) continue;
    seen[mark.literal] = true;
    AnyPart(mark, muted, [&](const Part& part) {
      owners->insert(owners->end(), part.owners.begin(), part.owners.end());
      return false;
    });
  }
}

}  // namespace inquest::rules
