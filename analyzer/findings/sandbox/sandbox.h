// SPDX-License-Identifier: Apache-2.0
// Runs the SQL of rules and users: read-only, only on the fact views, with
// functions of an allow-list and budgets for time, rows, memory and the length
// of texts. While a Sandbox lives, its connection is restricted, including
// statements not prepared through it; destroying it lifts the restriction.
// Exceeding a budget is a result (see limit()), not a crash. One per connection
// at a time, one thread.
//
// How it is bounded: the progress handler checks the time between operations of
// SQLite's virtual machine, so no single function may take long: texts are
// short (SqlLimits::text), and functions that would be quadratic in them are
// replaced (sandbox_functions.h). Time is processor time of the thread; wall
// time may be ten times as much. Sorts and subqueries that outgrow the memory
// go to temporary files, which the time limit bounds too.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/findings/sandbox/sandbox_limits.h"
#include "base/database_hooks.h"
#include "base/thread_clock.h"

namespace inquest::findings {

class Sandbox {
 public:
  Sandbox(Database* db, const SqlLimits& limits);
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  // Refuses more than one statement, and names what the authorizer refused.
  // limit() says whether a budget was the reason.
  Expected<Statement> Prepare(const std::string& sql);
  // Steps unless a budget is used up; then limit() says so.
  bool Step(Statement* statement);
  // Resets the budgets, with other limits.
  void Restart(const SqlLimits& limits);
  // Resets the count of rows and their bytes, but not the time.
  void RestartRows();

  const std::string& limit() const { return limit_; }
  // Returns it and clears it, so that other statements may run. Checks the
  // clock as well: time also passes outside of SQLite.
  std::string TakeLimit();
  bool Expired() const;

 private:
  bool MayDo(SqlAction action, std::string_view name);
  bool MustStop();
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
  std::optional<SqlGuard> guard_;  // destroyed first, before the restriction
};

}  // namespace inquest::findings
