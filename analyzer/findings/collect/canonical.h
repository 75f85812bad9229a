// SPDX-License-Identifier: Apache-2.0
// Gives a figure one form: adds the name to the number of a CUDA error, a cuDNN
// status or a signal and the number to the name, and writes versions as dotted
// numbers (8204 of cuDNN is 8.2.4). Called when findings are collected; the
// logged value is kept.
#pragma once

#include "base/figures.h"

namespace inquest::findings {

// On AMD, an error of the runtime has the name that HIP gives it.
void AddCanonicalForms(Figures* figures, bool is_hip = false);

// For sentences: versions in their dotted form alone.
Figures WithDottedVersions(Figures figures);

}  // namespace inquest::findings
