// SPDX-License-Identifier: Apache-2.0
// SQL's sum() for untrusted numbers: SQLite ends a statement with an error
// when a sum of integers overflows, and one absurd row of a trace would cost
// the whole diagnosis. This one stops at the largest (smallest) integer, as
// base/capped.h does. Otherwise as SQLite's: NULL without rows, real if any
// value is.
#pragma once

#include "base/database.h"

namespace inquest {

// Replaces sum() on this connection, also as a window function.
Status CapSums(Database* db);

}  // namespace inquest
