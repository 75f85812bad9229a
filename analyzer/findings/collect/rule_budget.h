// How much all rules of a diagnosis together may take, and what of it the next
// rule gets: its own limits while there is time left, and a small slice once
// others have used it up, so that no rule keeps the rest from running. A pack
// whose rules ran into their limits has lost the trust in its others: they get
// slices too, ever smaller ones. Used by RuleRunner only. Bounds are on time,
// on the findings and on their size.
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
  SqlLimits rule;                     // of one rule; itself may lower it
  int64_t total_milliseconds = 5000;  // of all rules
  int64_t lost_milliseconds = 1000;   // of rules of a pack that were stopped
  int64_t least_milliseconds = 10;    // that each one gets all the same
  int64_t rule_findings = 1000;       // of one rule
  int64_t findings = 2000;            // of all rules
  int64_t rule_bytes = 4 << 20;       // of the findings of one rule
  int64_t bytes = 8 << 20;            // of the findings of all rules
};

class RuleBudget {
 public:
  explicit RuleBudget(const EngineLimits& limits) : limits_(limits) {}

  // What the rule may use, from now on.
  SqlLimits Begin(const rules::Rule& rule);
  // Takes the time that the rule used off the common one.
  void End(const rules::Rule& rule, bool was_stopped);
  // Counts a finding; says what is exceeded, or nothing.
  std::string Add(const Finding& finding);

 private:
  using Clock = ThreadClock;
  struct Lost {  // in rules of one pack that were stopped
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
