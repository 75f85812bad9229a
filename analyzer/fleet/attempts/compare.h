// SPDX-License-Identifier: Apache-2.0
// Two attempts at a job beside each other. Only what both of them know is
// compared.
#pragma once

#include "analyzer/fleet/attempts/attempts.h"

namespace inquest::fleet {

// Unknown ends are the same if they have the same wording.
bool SameRoot(const VerdictRow& a, const VerdictRow& b);
// A GPU's UUID decides; else the node, with its GPU where both name one.
Same SameUnit(const UnitColumns& a, const UnitColumns& b);
// Only steps that the program itself names go on over a restart, and only where
// it went on from a later one than the time before.
Progress Between(const RunRow& before, const RunRow& after);

}  // namespace inquest::fleet
