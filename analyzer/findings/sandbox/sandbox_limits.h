// SPDX-License-Identifier: Apache-2.0
// The budgets of untrusted SQL, and SQLite's own limits set to them while a
// SandboxLimits lives. The heap limit is process-wide: SQLite counts all its
// connections, so the budget is added to what is in use.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/database_hooks.h"

namespace inquest::findings {

inline constexpr size_t kLongestSql = 100'000;  // bytes of a statement

struct SqlLimits {
  int64_t rows = 10000;         // that a statement may yield
  int64_t milliseconds = 1000;  // for all statements of a rule together
  int64_t bytes = 8 << 20;      // that its rows take up in memory
  int64_t memory = 24 << 20;    // of SQLite itself; 0: unlimited
  int64_t text = 512 << 10;     // longest text or blob, bytes
};

class SandboxLimits {
 public:
  explicit SandboxLimits(Database* db);
  ~SandboxLimits();
  SandboxLimits(const SandboxLimits&) = delete;
  SandboxLimits& operator=(const SandboxLimits&) = delete;

  // The heap's limit, from what is in use now, and the longest text.
  void Set(const SqlLimits& limits);
  // Whether SQLite has asked for more in one piece than the whole budget, since
  // Set() or since this was last true. It was refused; some aggregate functions
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
