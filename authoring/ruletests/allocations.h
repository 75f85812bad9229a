// SPDX-License-Identifier: Apache-2.0
// Makes a real trace of a test's `allocations:`: the events of a process with
// these series, on devices with a real (first-fit) allocator, written by the
// collector's own trace writer. A request that no longer fits is refused and
// the process ends, as in a real run. The trace is replayed as any other. Times
// and addresses are invented and always the same.
#pragma once

#include <string>
#include <vector>

#include "authoring/ruletests/test_model.h"
#include "base/status.h"

namespace inquest::ruletests {

// The functions of a stack by its number - 1: "Remember < Step < main".
using SiteNames = std::vector<std::string>;

// An error if `fail` requests memory that would be granted.
Expected<SiteNames> WriteTrace(const Process& process, const std::string& path);

}  // namespace inquest::ruletests
