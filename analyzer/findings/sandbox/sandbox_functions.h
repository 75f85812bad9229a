// The functions that SQL of rules may call: deterministic, without side
// effects, and none that takes long over a text of SqlLimits::text bytes.
// SQLite's own instr, replace and trim compare every place with every other;
// ours, with the same results, take time linear in the text.
#pragma once

#include <string_view>

#include "base/database.h"

namespace inquest::findings {

// What is not here is refused: load_extension, random, the clock, printf and
// whatever else makes giant strings from small ones.
bool IsAllowedFunction(std::string_view name);

// Puts ours in the place of SQLite's on this connection, for good.
Status DefineTextFunctions(Database* db);

}  // namespace inquest::findings
