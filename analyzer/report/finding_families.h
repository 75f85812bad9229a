// SPDX-License-Identifier: Apache-2.0
// Findings that differ only in their rank, device or process, for reports that
// tell them in one line. Never changes the findings.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/findings/finding.h"

namespace inquest::report {

// Places in the diagnosis's findings; the first one is named.
using Family = std::vector<size_t>;

// Adds a finding to the family whose rule it shares, and its reason too where
// reasons are shown, or as a new one.
Family& AddTo(std::vector<Family>* families,
              const findings::Diagnosis& diagnosis, size_t index,
              bool by_reason = true);

// " (12×)", " (8×: ranks 0–7, 8 processes)"; empty for a single one.
std::string HowOften(const findings::Diagnosis& diagnosis,
                     const Family& family);

}  // namespace inquest::report
