// SPDX-License-Identifier: Apache-2.0
// Turns references to facts ("log_event:12", "memory_event:3") into evidence
// with place and text. Used while findings are collected; reads the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

// References are separated by blanks; unknown ones and those beyond `most` are
// left out. Long texts are cut. Each trace numbers its own rows: `process`
// (process.process) selects the trace; without it the first row of that number
// is taken.
std::vector<Evidence> ResolveEvidence(facts::Store* store,
                                      std::string_view references,
                                      std::optional<int64_t> process,
                                      size_t most);

}  // namespace inquest::findings
