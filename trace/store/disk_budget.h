// SPDX-License-Identifier: Apache-2.0
// Measures how much of a trace's disk budget is used, and whether events must
// be folded. Used by TraceWriter, once for each batch. Bytes throughout; counts
// the file and the write-ahead log beside it. Freed pages of the file count as
// unused: SQLite fills them before the file grows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/database.h"
#include "base/status.h"

namespace inquest::trace {

class DiskBudget {
 public:
  explicit DiskBudget(uint64_t most_bytes)
      : most_(most_bytes),
        slack_(std::min<uint64_t>(most_bytes / 2, 32 << 20)) {}

  // Makes SQLite empty the write-ahead log before it takes too much of the
  // budget.
  Status SetUp(Database* db);
  Status Measure(Database* db);

  uint64_t most() const { return most_; }
  // Old events should be folded now. Not while a reader keeps the log from
  // being emptied: folding would only make it longer.
  bool wants_room() const { return used_ > most_ - slack_ && log_ <= longest_; }
  // Only records that are always kept may still be stored.
  bool exhausted() const { return used_ + log_ > most_ - slack_ / 4; }

 private:
  static constexpr uint64_t kPage = 4096;
  uint64_t LogPages() const;

  uint64_t most_;
  uint64_t slack_;  // for the log, and for a batch more
  uint64_t longest_ =
      0;  // the log, unless a reader keeps it from being emptied
  uint64_t used_ = 0;
  uint64_t log_ = 0;
  std::string log_path_;
};

}  // namespace inquest::trace
