// SPDX-License-Identifier: Apache-2.0
// Restricts and extends a database connection: limits, an authorizer,
// interruption, and functions written in C++. Used where SQL or a database is
// untrusted (rules, rule tests, exports of other tools) and for the functions
// of the facts. The collector does not use it. One thread per connection; the
// heap limit is that of all connections of the process.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/database.h"

struct sqlite3_context;
struct sqlite3_value;

namespace inquest {

// See sqlite.org/limits.html.
enum class SqlLimit {
  kLength,  // bytes of a text, blob or row
  kSqlLength,
  kColumns,
  kExpressionDepth,
  kCompoundSelects,
  kOperations,  // of a compiled statement
  kAttached,
  kLikePatternLength,
  kParameters,
  kTriggerDepth,
  kWorkerThreads,
};
// Returns the previous value; a negative `value` changes nothing.
int SetSqlLimit(Database* db, SqlLimit limit, int value);

// Near `bytes` SQLite frees cached pages and sorts in files, and above it
// allocations fail; 0: no limit.
void LimitSqlHeap(int64_t bytes);
int64_t SqlHeapInUse();
// The largest allocation requested, granted or not, since the last call with
// `forget`.
int64_t LargestSqlRequest(bool forget);

// Which limit made the last call fail, if any.
enum class SqlFailure { kNoMemory, kTooBig, kOther };
SqlFailure LastSqlFailure(const Database& db);

// For a database file of unknown origin: its triggers and views do nothing, its
// schema calls no functions with side effects and cannot be written to.
void DistrustSchema(Database* db);
// For a file that is shorter than its header says: what is there can be read.
// Only for a database opened read-only, whose schema could now be written to.
Status AllowCutFile(Database* db);

enum class SqlAction { kSelect, kInsert, kFunction, kOther };

// While it exists, decides what a connection may do and for how long.
class SqlGuard {
 public:
  // Called while a statement is compiled. `name` is the table of an insert or
  // the function; else "".
  using Allow = std::function<bool(SqlAction action, std::string_view name)>;
  // Called after every `operations` operations of SQLite's machine; true
  // interrupts the statement. The deadline of the process does too.
  using Stop = std::function<bool()>;

  SqlGuard(Database* db, Allow allow, int operations, Stop stop);
  ~SqlGuard();
  SqlGuard(const SqlGuard&) = delete;
  SqlGuard& operator=(const SqlGuard&) = delete;

 private:
  Database* db_;
  Allow allow_;
  Stop stop_;
};

// A call of a function by SQL: its arguments, and its result, which is NULL
// unless one is returned.
class SqlCall {
 public:
  SqlCall(sqlite3_context* context, int count, sqlite3_value** values)
      : context_(context), count_(count), values_(values) {}

  bool AnyNull() const;
  bool IsBlob(int index) const;
  std::string_view Text(int index) const;  // a blob's bytes
  int64_t longest_text() const;            // SqlLimit::kLength

  void Return(int64_t value);
  void Return(std::string_view text);
  void ReturnText(int index);  // an argument; a blob becomes a text
  void ReturnTooBig();

 private:
  sqlite3_context* context_;
  int count_;
  sqlite3_value** values_;
};

// A function without side effects, whose result depends only on its arguments.
// Replaces one of the same name.
using SqlFunction = void (*)(SqlCall* call);
Status DefineSqlFunction(Database* db, const char* name, int arguments,
                         SqlFunction function);

}  // namespace inquest
