// SPDX-License-Identifier: Apache-2.0
// Whether an attached trace has the tables and columns that facts read. Used by
// store.cc before anything else is read of it. One thread.
#pragma once

#include <string>

#include "base/database.h"
#include "base/status.h"

namespace inquest::facts {

// The first "table.column" of trace/schema.sql that the trace lacks, "" if
// none. Of kAddedTables a whole table may be missing.
Expected<std::string> MissingColumn(Database* db, const std::string& schema);

// Whether the trace was made with just these tables and indexes, word for word:
// then there is nothing else in it, and it lacks nothing. Cheaper than to ask
// for the columns.
bool HasKnownTables(Database* db, const std::string& schema);

}  // namespace inquest::facts
