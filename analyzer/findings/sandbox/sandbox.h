// Where SQL of rules and users runs: read-only, on the fact views alone, with
// functions of an allow-list and budgets for time, rows, memory and the length
// of texts. While a Sandbox lives, its connection is restricted, also for
// statements that were not prepared through it; destroying it lifts the
// restriction. Exceeding a budget is a result (limit() says which), not a
// crash. One a connection at a time, one thread.
//
// What bounds what: the progress handler looks at the time between operations
// of SQLite's machine, so no single function may take long: texts are short
// (SqlLimits::text) and those functions that would be quadratic in them are
// our own (sandbox_functions.h). Time is what the thread has had of a
// processor, and by the clock ten times as much at the most. Sorting and tables
// of subqueries that outgrow the memory go to temporary files, which that
// bounds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/findings/sandbox/sandbox_limits.h"
#include "base/database.h"
#include "base/thread_clock.h"

namespace inquest::findings {

class Sandbox {
 public:
  Sandbox(Database* db, const SqlLimits& limits);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  // Refuses more than one statement, and whatever the authorizer refuses,
  // naming it. limit() says so where a budget was the reason.
  Expected<Statement> Prepare(const std::string& sql);
  // Steps unless a budget is used up; then limit() says so.
  bool Step(Statement* statement);
  // Starts the budgets anew, with other limits.
  void Restart(const SqlLimits& limits);
  // Starts the count of rows and their bytes anew; time runs on.
  void RestartRows();

  const std::string& limit() const { return limit_; }
  // The same, and forgets it, so that other statements may go on. Looks at the
  // clock as well: time also passes outside of SQLite.
  std::string TakeLimit();
  bool Expired() const;

 private:
  static int Authorize(void* self, int action, const char* a, const char* b,
                       const char* schema, const char* view);
  static int Progress(void* self);
  int Deny(const std::string& what);
  bool Count(const Statement& row);
  void NameFailure();
  void NameMemory();

  Database* db_;
  SqlLimits limits_;
  SandboxLimits restriction_;
  ThreadClock::time_point deadline_;
  std::chrono::steady_clock::time_point last_deadline_;
  int64_t rows_ = 0;
  int64_t bytes_ = 0;
  std::string denied_;
  std::string limit_;
};

}  // namespace inquest::findings
