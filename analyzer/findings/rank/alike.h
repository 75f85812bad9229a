// SPDX-License-Identifier: Apache-2.0
// The same failure in many units: eight ranks out of memory are eight findings
// of one rule, and a report should name the places once. Used by the verdict
// and by the reports; does not change the findings.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/findings/finding.h"

namespace inquest::findings {

// Findings of the same rule that rank below this one because they name the same
// cause, about the same collective where both name one; in their order, without
// the finding itself.
std::vector<size_t> AlikeTo(const std::vector<Finding>& findings, size_t index);

// For each finding those that a link "same cause" puts below it. For callers
// that ask about many findings.
using SameCause = std::vector<std::vector<size_t>>;
SameCause FindSameCause(const std::vector<Finding>& findings);
std::vector<size_t> AlikeTo(const std::vector<Finding>& findings,
                            const SameCause& same, size_t index);

// The finding's unit and those that share it.
void AddUnits(const Finding& finding, std::vector<const Unit*>* units);

// "ranks 0–7, GPUs 0–7, 8 processes"; empty if all are one unit.
std::string WhereText(const std::vector<const Unit*>& units);

// Fills the verdict's `alike` and adds to its summary where else it happened.
void NameAlike(Diagnosis* diagnosis);

}  // namespace inquest::findings
