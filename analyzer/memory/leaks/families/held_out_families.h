// SPDX-License-Identifier: Apache-2.0
// Families of runs that were not used to choose the leak detector's limits:
// programs that allocate and free blocks as training programs do, not curves.
// Kept separate from families.h so that they stay an independent measure: do
// not change a family here to suit the detector, nor the limits to suit a
// family.
#pragma once

#include <vector>

#include "analyzer/memory/leaks/families/families.h"

namespace inquest::memory {

std::vector<Family> HeldOutLeaks();
std::vector<Family> HeldOutHealthy();

}  // namespace inquest::memory
