// SPDX-License-Identifier: Apache-2.0
// Bounds the time that matching may take on the logs of one run. Patterns
// come from rule packs and lines from logs, so untrusted input may make each
// line cost as much as a thousand: by a slow pattern, by many broad ones, or
// by an error on every line. The signatures that took most of the time are
// then switched off for a while, so that the whole stays proportional to the
// logs' size; the others still see every line, and the report names those
// that did not. Used by the log scanner; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/rules/signatures/match_clock.h"

namespace inquest::rules {

struct MatchLimits {
  // CPU time, in nanoseconds. Dense logs of a job of a thousand ranks need half
  // of what their bytes give, also while other programs share the cores; most
  // need a hundredth.
  int64_t ns = 1'000'000'000;
  int64_t ns_per_byte = 20;
  int64_t ns_per_try = 300;       // besides what RE2 takes: parsing the line
  int64_t ns_per_event = 10'000;  // storing it, and what rules do with it
  int64_t ns_per_figure_byte = 30;
  // That each log has, and again its end: the steps of a rank's small log cost
  // this much, and a job has a thousand such logs.
  int64_t ns_of_log = 5'000'000;
};

class MatchBudget {
 public:
  explicit MatchBudget(size_t signatures, const MatchLimits& limits = {})
      : limits_(limits), allowed_(limits.ns), taken_(signatures) {}

  // Measures what is counted.
  MatchClock& clock() { return clock_; }

  // A log or its end begins, and some of it is examined in any case.
  void BeginPart();
  void CountBytes(size_t bytes);
  void CountTry(size_t signature, int64_t ns) {
    Add(signature, ns + limits_.ns_per_try);
  }
  // `bytes`: of its figures.
  void CountEvent(size_t signature, int64_t bytes) {
    Add(signature, limits_.ns_per_event + bytes * limits_.ns_per_figure_byte);
  }

  bool IsSpent() const { return spent_ > allowed_; }
  // Whether it is, and more was taken since the last call of Greediest.
  bool IsOverdrawn() const { return IsSpent() && spent_ > looked_at_; }
  // The signatures that took most, of those for which off[i] is 0: each with at
  // least its share of the time. Remembers them.
  std::vector<size_t> Greediest(const std::vector<uint8_t>& off);
  // All that were ever returned, ascending.
  std::vector<size_t> SwitchedOff() const;

 private:
  struct Taken {
    int64_t ns = 0;
    bool was_off = false;
  };
  void Add(size_t signature, int64_t ns) {
    spent_ += ns;
    taken_[signature].ns += ns;
  }

  MatchLimits limits_;
  MatchClock clock_;
  int64_t allowed_;
  int64_t spent_ = 0;
  int64_t looked_at_ = 0;  // what was spent then
  std::vector<Taken> taken_;
};

}  // namespace inquest::rules
