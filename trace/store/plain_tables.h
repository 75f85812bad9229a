// SPDX-License-Identifier: Apache-2.0
// Whether a database holds nothing but plain tables, as every trace does. A
// view, a trigger, a virtual table, a generated column or an index over an
// expression runs code from the file when it is read or written.
// Used before a trace is read (analyzer/facts/store) or finished.
#pragma once

#include <string>

#include "base/database.h"
#include "base/status.h"

namespace inquest::trace {

// `schema` is "main" or the name under which it is attached. The error names
// what it holds besides tables; the caller adds the file.
Status CheckPlainTables(Database* db, const std::string& schema);

}  // namespace inquest::trace
