// SPDX-License-Identifier: Apache-2.0
// Files of facts: what is known of some logs and traces of a job once they were
// read where they lie. They are small, and several together are judged as if
// all had been read at once. An SQLite database of the processes' tables
// (merged_traces.h), of the store's own tables as `part_*`, and of what the
// program adds (diagnosis/part_file.h). Store makes and reads them; here is
// which of its tables they have. Readable by their owner alone: they quote
// logs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/database.h"
#include "base/status.h"

namespace inquest::facts {

inline constexpr int kPartApplicationId = 0x494e5146;  // "INQF"
inline constexpr int kPartVersion = 4;

// Whether the database attached as `part` is such a file. Before anything of it
// is read: it may be a stranger's, and a view in the place of a table is code.
Status CheckPart(Database* db, const std::string& path);

// The numbers at which those of the next part begin, less one.
struct PartNumbers {
  int64_t process = 0;
  int64_t source = 0;
  int64_t site = 0;
  int64_t oom = 0;
};

// Of the store's tables in `main`.
Expected<PartNumbers> NumbersSoFar(Database* db);
// Copies the store's tables into `schema`, and from there into those of a store
// which has such numbers already.
Status CopyToPart(Database* db, const std::string& schema);
Status CopyFromPart(Database* db, const std::string& schema,
                    const PartNumbers& before);

}  // namespace inquest::facts
