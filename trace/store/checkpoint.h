// SPDX-License-Identifier: Apache-2.0
// The checkpoint of a trace (tables checkpoint* of schema.sql): reading it into
// a ledger, and writing a ledger's totals back. Used by the fold, which changes
// it, and by the analyzer, which starts its replay from it. `prefix` precedes
// the table names: "" or "trace1.".
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/database.h"
#include "base/status.h"
#include "trace/store/ledger.h"

namespace inquest::trace {

struct Checkpoint {
  int64_t event = 0;  // 0: nothing has been folded
  int64_t time = 0;
  int64_t folded = 0;
};

// Also creates the ledger's devices with their totals; their blocks come from
// the ledger's MakeBlocks.
Expected<Checkpoint> ReadCheckpoint(Database* db, const std::string& prefix,
                                    Ledger* ledger);
// Copies the checkpoint's blocks into the ledger's own.
Status ReadCheckpointBlocks(Database* db, const std::string& prefix,
                            Ledger* ledger);
// All but the blocks. In the caller's transaction.
Status WriteCheckpoint(Database* db, const Checkpoint& checkpoint,
                       const Ledger& ledger);

// The blocks of one heap, read and written in the table, so that a fold needs
// no memory for them. The first failure of the database is kept in `failure`.
std::unique_ptr<Blocks> BlocksInTable(Database* db, int device, Layer layer,
                                      Status* failure);

}  // namespace inquest::trace
