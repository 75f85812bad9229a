// SPDX-License-Identifier: Apache-2.0
// Families of runs that the leak detector's limits were not chosen by: programs
// that take and give back blocks as training programs do, not curves. Kept
// apart from families.h so that what is measured on them stays a measure: a
// family here is not changed to please the detector, nor the limits for one.
#pragma once

#include <vector>

#include "analyzer/memory/leaks/families/families.h"

namespace inquest::memory {

std::vector<Family> HeldOutLeaks();
std::vector<Family> HeldOutHealthy();

}  // namespace inquest::memory
