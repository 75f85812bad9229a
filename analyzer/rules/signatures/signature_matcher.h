// SPDX-License-Identifier: Apache-2.0
// Matches lines with one signature.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/rules/model/rule_model.h"

namespace inquest::rules {

struct SignatureHit {
  size_t signature = 0;  // index into the vector given to Compile
  Figures figures;       // captures, typed, and the constants
  int bad_captures = 0;  // texts that did not fit their type
};

constexpr int64_t kMaxRepeats = 64;  // occurrences in one line

// RE2 finds the beginning of a match with the reversed expression, which it
// must compile. For a few lines, trying each position is cheaper.
enum class Lines { kMany, kFew };

// One pattern of a signature. Takes the pattern's compiled expression, or
// compiles it at first use. Const members may be called from many threads at
// once.
class PatternMatcher {
 public:
  using Types = std::map<std::string, CaptureType>;
  using Groups = std::vector<re2::StringPiece>;  // the first is the whole match

  // `types` must outlive this.
  PatternMatcher(const Pattern& pattern, const Types& types, Lines lines);

  const re2::RE2& expression() const;
  // Does not extract figures, which cost more than the rest.
  bool Matches(std::string_view text) const;
  // The first match at or after `from`; empty if there is none.
  std::optional<Groups> Find(std::string_view text, size_t from) const;
  void AddFigures(const Groups& groups, SignatureHit* hit) const;

 private:
  struct Capture {
    int group;
    std::string name;
    CaptureType type;
  };

  void Compile() const;

  const Lines lines_;
  const std::string re2_;
  const Types& types_;
  mutable std::once_flag once_;
  mutable std::shared_ptr<const re2::RE2> expression_;
  mutable std::vector<Capture> captures_;
  mutable int groups_ = 0;  // submatches to request
};

// A signature: its patterns are tried in the order of the file, and the first
// that matches gives the figures. With `repeat` it is the one with the next
// match in the line.
class SignatureMatcher {
 public:
  explicit SignatureMatcher(const Signature& signature,
                            Lines lines = Lines::kMany);
  SignatureMatcher(const SignatureMatcher&) = delete;
  SignatureMatcher& operator=(const SignatureMatcher&) = delete;

  // Numbers of patterns, ascending.
  using Among = std::span<const uint32_t>;

  const PatternMatcher& pattern(size_t i) const { return *patterns_[i]; }
  // The first pattern that matches the line.
  std::optional<size_t> FirstThatMatches(std::string_view text) const;
  // Appends a hit with the number `index` for each occurrence: the first one,
  // or up to kMaxRepeats if the signature has `repeat`. Only patterns in
  // `among` are tried.
  void AddHits(size_t index, std::string_view text, Among among,
               std::vector<SignatureHit>* hits) const;

  bool IsExcepted(std::string_view text) const {
    return unless_ != nullptr && unless_->Matches(text);
  }

  const Figures constants;
  const bool repeat;
  const bool app_only;
  const bool part_of_many;
  const Role role;

 private:
  struct Found {
    const PatternMatcher* pattern;
    PatternMatcher::Groups groups;
  };
  std::optional<Found> FindNext(std::string_view text, size_t from,
                                Among among) const;

  const PatternMatcher::Types types_;
  std::vector<std::unique_ptr<PatternMatcher>> patterns_;
  std::unique_ptr<PatternMatcher> unless_;  // null: there is none
};

}  // namespace inquest::rules
