// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of rule files (draft 2020-12), for editors and for checks
// outside this program. Made from the tables of format.h, which the loader
// checks by, so it cannot promise what the loader refuses. What a schema cannot
// say (whether a sample matches, whether a column exists) is left to the
// loader. Called by `inquest rules schema`.
#pragma once

#include <nlohmann/json.hpp>

namespace inquest::rules {

// Keys in the order of the tables, so that the file reads well.
nlohmann::ordered_json RuleFileSchema();

}  // namespace inquest::rules
