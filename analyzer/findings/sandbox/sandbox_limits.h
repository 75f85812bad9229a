// SPDX-License-Identifier: Apache-2.0
// The budgets of untrusted SQL, and SQLite's own limits set to them while a
// SandboxLimits lives. The heap limit is process-wide: SQLite counts all its
// connections, so the budget is added to the current use.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/database_hooks.h"

namespace inquest::findings {

inline constexpr size_t kMaxSqlLength = 100'000;  // bytes of a statement

struct SqlLimits {
  int64_t rows = 10000;         // of one statement
  int64_t milliseconds = 1000;  // for all statements of a rule together
  int64_t bytes = 8 << 20;      // of its rows in memory
  int64_t memory = 24 << 20;    // of SQLite itself; 0: unlimited
  int64_t text = 512 << 10;     // of the longest text or blob
};

class SandboxLimits {
 public:
  explicit SandboxLimits(Database* db);
  ~SandboxLimits();
  SandboxLimits(const SandboxLimits&) = delete;
  SandboxLimits& operator=(const SandboxLimits&) = delete;

  // Sets the heap limit, from the current use, and the longest text.
  void Set(const SqlLimits& limits);
  // Whether SQLite has been refused a single allocation larger than the whole
  // budget, since Set() or since this was last true. Some aggregate functions
  // report that only at their last row (json_group_array of SQLite 3.45, not of
  // 3.40).
  bool TakeRefusal();

 private:
  Database* db_;
  int64_t memory_ = 0;                            // the budget; 0: unlimited
  std::vector<std::pair<SqlLimit, int>> before_;  // to be restored
};

// The approximate size of a row once it is read from SQLite.
int64_t BytesOf(const Statement& row);

}  // namespace inquest::findings
