// SPDX-License-Identifier: Apache-2.0
// The readers of a test's parts, one file each. Internal to the loader.
#pragma once

#include <optional>
#include <string>

#include "analyzer/rules/load/loader_fields.h"
#include "authoring/ruletests/test_model.h"

namespace inquest::ruletests {

Given ReadGiven(rules::Fields* fields);
Expectation ReadExpectation(rules::Fields* fields);
// The processes under `allocations:`, one mapping or a list of them.
std::vector<Process> ReadAllocations(rules::Fields* given);

// A whole number, or a size with its unit ("2GiB"); reports mistakes.
std::optional<int64_t> ReadSize(rules::Fields* fields, std::string_view key);
// A whole number of any sign.
std::optional<int64_t> ReadInteger(rules::Fields* fields, std::string_view key);

}  // namespace inquest::ruletests
