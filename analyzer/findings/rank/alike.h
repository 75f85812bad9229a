// One death in many units: eight ranks that ran out of memory alike are eight
// findings of one rule, of which a report should say once where it happened.
// Used by the verdict and by the reports; the findings stay as they are.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/findings/finding.h"

namespace inquest::findings {

// Findings of the same rule that stepped back behind this one because they name
// the same cause; in their order, without itself.
std::vector<size_t> AlikeTo(const std::vector<Finding>& findings, size_t index);

// "ranks 0–7, GPUs 0–7, 8 processes"; empty where all are one unit.
std::string WhereText(const std::vector<const Unit*>& units);

// Fills the verdict's `alike` and says in its summary where else it happened.
void NameAlike(Diagnosis* diagnosis);

}  // namespace inquest::findings
