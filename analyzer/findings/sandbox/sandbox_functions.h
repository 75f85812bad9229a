// SPDX-License-Identifier: Apache-2.0
// The functions that SQL of rules may call: deterministic, without side
// effects, and fast on a text of SqlLimits::text bytes. SQLite's own instr,
// replace and trim take quadratic time; ours give the same results in linear
// time.
#pragma once

#include <string_view>

#include "base/database.h"

namespace inquest::findings {

// All others are refused: load_extension, random, the clock, printf and others
// that make giant strings from small ones.
bool IsAllowedFunction(std::string_view name);

// Replaces SQLite's functions by ours on this connection, permanently.
Status DefineTextFunctions(Database* db);

}  // namespace inquest::findings
