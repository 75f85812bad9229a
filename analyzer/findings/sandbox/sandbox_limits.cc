#include "analyzer/findings/sandbox/sandbox_limits.h"

#include <sqlite3.h>

#include <algorithm>
#include <limits>

namespace inquest::findings {
namespace {

constexpr int64_t kBytesOfACell = 128;  // name, node and value

// What no rule that was meant well comes near to.
constexpr std::pair<int, int> kLimits[] = {
    {SQLITE_LIMIT_SQL_LENGTH, kLongestSql},
    {SQLITE_LIMIT_COLUMN, 128},
    {SQLITE_LIMIT_EXPR_DEPTH, 200},
    {SQLITE_LIMIT_COMPOUND_SELECT, 50},
    {SQLITE_LIMIT_VDBE_OP, 250'000},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 100},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

// The largest request so far, successful or not, of the whole process.
int64_t LargestRequest(bool forget) {
  sqlite3_int64 current = 0;
  sqlite3_int64 largest = 0;
  sqlite3_status64(SQLITE_STATUS_MALLOC_SIZE, &current, &largest,
                   forget ? 1 : 0);
  return largest;
}

}  // namespace

SandboxLimits::SandboxLimits(Database* db) : db_(db) {
  for (const auto& [which, value] : kLimits) Limit(which, value);
  before_.emplace_back(SQLITE_LIMIT_LENGTH,
                       sqlite3_limit(db_->raw(), SQLITE_LIMIT_LENGTH, -1));
  // The authorizer refuses writing; this refuses it a second time.
  (void)db_->Execute("PRAGMA query_only = 1");
}

SandboxLimits::~SandboxLimits() {
  for (const auto& [which, value] : before_) {
    sqlite3_limit(db_->raw(), which, value);
  }
  sqlite3_hard_heap_limit64(0);
  sqlite3_soft_heap_limit64(0);
  (void)db_->Execute("PRAGMA query_only = 0");
}

void SandboxLimits::Limit(int which, int value) {
  before_.emplace_back(which, sqlite3_limit(db_->raw(), which, value));
}

void SandboxLimits::Set(const SqlLimits& limits) {
  const int64_t most = std::numeric_limits<int>::max();
  sqlite3_limit(db_->raw(), SQLITE_LIMIT_LENGTH,
                static_cast<int>(std::min(limits.text, most)));
  memory_ = limits.memory;
  LargestRequest(/*forget=*/true);
  const int64_t heap =
      limits.memory > 0 ? sqlite3_memory_used() + limits.memory : 0;
  // The hard limit draws the soft one down, at which SQLite begins to give
  // pages back and to sort in files; lifting it takes both.
  sqlite3_hard_heap_limit64(0);
  sqlite3_soft_heap_limit64(heap);
  sqlite3_hard_heap_limit64(heap);
}

bool SandboxLimits::TakeRefusal() {
  if (memory_ == 0 || LargestRequest(/*forget=*/false) <= memory_) return false;
  LargestRequest(/*forget=*/true);
  return true;
}

int64_t BytesOf(const Statement& row) {
  int64_t bytes = 0;
  for (int i = 0; i < row.columns(); ++i) {
    bytes += kBytesOfACell;
    const int type = sqlite3_column_type(row.raw(), i);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB) {
      bytes += sqlite3_column_bytes(row.raw(), i);
    }
  }
  return bytes;
}

}  // namespace inquest::findings
