// SPDX-License-Identifier: Apache-2.0
// The common budget of all rules of a diagnosis, and the next rule's share: its
// own limits while time is left, a small slice after that, so that no rule
// keeps the others from running. If rules of a pack hit their limits, its other
// rules get slices, too, and smaller ones each time. Bounds time, the number of
// findings and their size. Used by RuleRunner only.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "analyzer/findings/finding.h"
#include "analyzer/findings/sandbox/sandbox_limits.h"
#include "analyzer/rules/model/rule_model.h"
#include "base/thread_clock.h"

namespace inquest::findings {

struct EngineLimits {
  SqlLimits rule;                     // of one rule; the rule may lower it
  int64_t total_milliseconds = 5000;  // of all rules
  int64_t lost_milliseconds = 1000;   // of the stopped rules of a pack
  int64_t least_milliseconds = 10;    // that each rule always gets
  int64_t rule_findings = 1000;       // of one rule
  int64_t findings = 2000;            // of all rules
  int64_t rule_bytes = 4 << 20;       // of the findings of one rule
  int64_t bytes = 8 << 20;            // of the findings of all rules
};

class RuleBudget {
 public:
  explicit RuleBudget(const EngineLimits& limits) : limits_(limits) {}

  // The limits of the rule that runs next.
  SqlLimits Begin(const rules::Rule& rule);
  // Subtracts the rule's time from the common budget.
  void End(const rules::Rule& rule, bool was_stopped);
  // Counts a finding; returns the limit that it exceeds, in words, or "".
  std::string Add(const Finding& finding);

 private:
  using Clock = ThreadClock;
  struct Lost {  // by the stopped rules of one pack
    Clock::duration time{};
    int64_t rules = 0;
  };

  int64_t Allowed(const rules::Rule& rule) const;

  EngineLimits limits_;
  Clock::time_point begin_;
  Clock::duration used_{};
  std::map<std::string, Lost> lost_;  // by pack
  int64_t findings_ = 0;
  int64_t rule_findings_ = 0;
  int64_t bytes_ = 0;
  int64_t rule_bytes_ = 0;
};

}  // namespace inquest::findings
