// SPDX-License-Identifier: Apache-2.0
// Damaged traces: whether one is, and what of it can still be read. Used by
// Store when it attaches a trace. Rows are taken from both ends of a table
// until the damage, into a temporary database in the place of the trace. One
// thread; as much disk (a temporary file) as the trace.
#pragma once

#include <string>

#include "base/database.h"
#include "base/status.h"

namespace inquest::facts {

// Whether a page of one of the attached trace's tables cannot be read; costs a
// walk over its pages. `thoroughly` looks at each row too, which takes a third
// of the time of a diagnosis. An error is another one than damage.
Expected<bool> IsDamaged(Database* db, const std::string& schema,
                         bool thoroughly);

// Puts what can be read of the trace at `uri` in the place of `schema`, which
// is attached. Returns what that is: "memory_event 5312 rows, …".
Expected<std::string> Salvage(Database* db, const std::string& schema,
                              const std::string& uri);

}  // namespace inquest::facts
