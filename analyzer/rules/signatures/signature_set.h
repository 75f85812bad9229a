// SPDX-License-Identifier: Apache-2.0
// All signatures compiled into one matcher. Most lines of a training log match
// none of them, so a sieve of required literals runs first, and only lines with
// a candidate reach RE2. Built by the command line from a RuleSet, used by the
// log reader. Const members may be called from many threads at once.
//
// A signature's literals come from RE2's own analysis (FilteredRE2), so the
// sieve never loses a match; a pattern without a literal of four bytes is tried
// on every line and listed by Slow(). A signature with known literals is
// compiled when a line first needs it: a short log needs few.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/rules/model/rule_model.h"
#include "analyzer/rules/signatures/match_budget.h"
#include "analyzer/rules/signatures/signature_matcher.h"
#include "analyzer/rules/signatures/signature_profile.h"
#include "analyzer/rules/signatures/signature_sieve.h"
#include "base/status.h"

namespace inquest::rules {

struct SignatureSetOptions {
  int64_t max_memory = 64 << 20;        // of the automaton for slow ones, bytes
  SignatureProfile* profile = nullptr;  // must outlive the set
};

class SignatureSet {
 public:
  static Expected<SignatureSet> Compile(
      const std::vector<Signature>& signatures,
      const SignatureSetOptions& options = {});
  SignatureSet(SignatureSet&&) noexcept;
  SignatureSet& operator=(SignatureSet&&) noexcept;
  ~SignatureSet();

  // Appends a hit for each signature that matches, in the order of their
  // indices. The text is one line, cleaned by the reader; figures are always
  // UTF-8. Signatures with muted[index] != 0 are left out; an empty vector
  // mutes none.
  using Muted = std::vector<uint8_t>;
  void Match(std::string_view text, std::vector<SignatureHit>* hits,
             const Muted& muted = {}) const;
  // Also appends to `tried` the signatures that were tried with RE2, whether
  // they matched or not. `budget`, if given, counts their time. kAnchored: only
  // patterns with '^'; the others match a line's end only where they match the
  // line.
  enum class Try { kAll, kAnchored };
  void Match(std::string_view text, std::vector<SignatureHit>* hits,
             const Muted& muted, std::vector<size_t>* tried,
             MatchBudget* budget = nullptr, Try which = Try::kAll) const;

  // Where a block of many lines, of less than 4 GiB, has required literals.
  // Takes most of the time of a scan and depends on nothing else, so that
  // another thread can do it ahead.
  using Marks = std::vector<Sieve::Mark>;
  Marks MarkLiterals(std::string_view block) const;

  // The first offset >= from of the marked block with what a signature that is
  // not muted asks for, or npos: no line that ends before it can match. Returns
  // `from` if some pattern has no literal.
  size_t NextCandidate(const Marks& marks, size_t from,
                       const Muted& muted = {}) const;

  size_t size() const;
  Role role(size_t signature) const;
  // Whether its `unless` is in that line.
  bool IsExcepted(size_t signature, std::string_view text) const;
  // `source: app`: not meant for lines of the kernel's log.
  bool IsAppOnly(size_t signature) const;
  // One of many lines that only mean something together.
  bool IsPartOfMany(size_t signature) const;
  // The first with the figure `starts_run`, for a log that begins anew.
  std::optional<size_t> run_start() const;
  const Figures& constants(size_t signature) const;
  // Indices of signatures with a pattern without a literal.
  std::vector<size_t> Slow() const;

 private:
  struct Impl;
  explicit SignatureSet(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace inquest::rules
