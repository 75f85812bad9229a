// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of rule files (draft 2020-12), for editors and for checks
// outside this program. Made from the tables of format.h, which the loader also
// uses, so the two agree. Only the loader checks what a schema cannot express
// (whether a sample matches, whether a column exists). Called by `inquest rules
// schema`.
#pragma once

#include <nlohmann/json.hpp>

namespace inquest::rules {

// Keys in the order of the tables, so that the file reads well.
nlohmann::ordered_json RuleFileSchema();

}  // namespace inquest::rules
