// SPDX-License-Identifier: Apache-2.0
// What each rule cost, for `inquest rules profile`. Filled by RuleRunner if a
// profile is given; without one it does not read the clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace inquest::findings {

// Nanoseconds, and the results.
struct RuleCost {
  std::string rule;
  int64_t prepare_ns = 0;  // compiling its statements
  int64_t run_ns = 0;      // stepping through its rows
  int64_t judge_ns = 0;    // confirm and refute
  int64_t finish_ns = 0;   // messages and evidence
  int64_t rows = 0;
  int64_t findings = 0;
  bool skipped = false;

  int64_t total_ns() const {
    return prepare_ns + run_ns + judge_ns + finish_ns;
  }
};

struct RuleProfile {
  std::vector<RuleCost> rules;
};

}  // namespace inquest::findings
