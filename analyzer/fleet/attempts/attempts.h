// SPDX-License-Identifier: Apache-2.0
// Several attempts at one job: was it the same again, on the same unit, did
// they come further, and would another one help? The answer rests on what the
// attempts have in common and on what kind of cause it is; where that is not
// known, so is the answer. Only compares; reads nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/fleet/results/rows.h"

namespace inquest::fleet {

enum class Same : uint8_t { kUnknown, kYes, kNo };

enum class Progress : uint8_t {
  kUnknown,   // the steps are not known, or are counted differently
  kSameStep,  // each died at the same step
  kFurther,   // each came further than the one before
  kNone,      // it came no further, or began from the first step again
};

enum class Retry : uint8_t { kCannotTell, kWillHelp, kWillNotHelp };

struct Judgement {
  int64_t alike = 0;  // how many of the last attempts have the same root
  Same unit = Same::kUnknown;              // of these: on the same GPU or node
  Progress progress = Progress::kUnknown;  // of these
  Retry retry = Retry::kCannotTell;
  std::string reason;
  std::vector<std::string> unknown;  // what would have decided
};

// In the order of their start where all of them tell it; otherwise they stay as
// they are, and the result is false.
bool SortByStart(std::vector<Result>* attempts);

// At least one attempt, in the order in which they were made.
Judgement Judge(const std::vector<Result>& attempts);

// "GPU GPU-1234…", "node a17", "unit unknown".
std::string UnitText(const VerdictRow& verdict);

// The contract "inquest.attempts/1", and text.
std::string AttemptsJson(const std::vector<Result>& attempts, bool ordered,
                         const Judgement& judgement);
std::string AttemptsText(const std::vector<Result>& attempts, bool ordered,
                         const Judgement& judgement);

}  // namespace inquest::fleet
