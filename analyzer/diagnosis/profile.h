// SPDX-License-Identifier: Apache-2.0
// The time that a diagnosis took, by stages, rules and signatures. Filled by
// each stage that receives one; without one no clock is read.
#pragma once

#include <cstdint>

#include "analyzer/findings/collect/rule_profile.h"
#include "analyzer/rules/signatures/signature_profile.h"
#include "base/timed.h"

namespace inquest::diagnosis {

struct Profile {
  // Nanoseconds, in the order of the stages.
  int64_t parse = 0;    // rule files read, parsed and checked
  int64_t compile = 0;  // signatures into one matcher
  int64_t attach = 0;   // journals finished, traces opened, views defined
  int64_t scan = 0;     // logs through the matcher
  int64_t facts = 0;    // memory replayed, ending decided
  int64_t rules = 0;    // SQL of the rules, evidence, messages
  int64_t ranking = 0;  // relations
  findings::RuleProfile by_rule;
  rules::SignatureProfile by_signature;
};

// The counter of a stage, or null without a profile.
inline int64_t* Stage(Profile* profile, int64_t Profile::*stage) {
  return profile == nullptr ? nullptr : &(profile->*stage);
}

}  // namespace inquest::diagnosis
