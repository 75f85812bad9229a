// SPDX-License-Identifier: Apache-2.0
// Allocation sites as folded stacks, a line for each: "main;step;malloc 4096",
// the outermost first, Python's functions before the native ones that they
// called. For flamegraph.pl, speedscope, inferno and their kin.
#pragma once

#include <string>

#include "analyzer/facts/store/store.h"
#include "analyzer/report/redact/redactor.h"

namespace inquest::report {

// `weight`: "live" (bytes at the end), "peak" (bytes at the memory peak) or
// "count" (allocations). `redactor` may be null.
Expected<std::string> FoldedStacks(facts::Store* store,
                                   const std::string& weight,
                                   Redactor* redactor);

}  // namespace inquest::report
