// Where SQL of rules and users runs: read-only, on the fact views alone, with
// functions of an allow-list and budgets for rows and time. While a Sandbox
// lives, its connection is restricted; destroying it lifts the restriction.
// Exceeding a budget is a result (limit() says which), not a crash.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "trace/sqlite.h"

namespace inquest::findings {

struct SqlLimits {
  int64_t rows = 10000;
  int64_t milliseconds = 5000;
};

class Sandbox {
 public:
  Sandbox(Database* db, const SqlLimits& limits);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  // Refuses more than one statement, and whatever the authorizer refuses,
  // naming it.
  Expected<Statement> Prepare(const std::string& sql);
  // Steps unless a budget is used up; then limit() says so.
  bool Step(Statement* statement);
  // Starts the budgets anew, with other limits.
  void Restart(const SqlLimits& limits);

  const std::string& limit() const { return limit_; }

 private:
  static int Authorize(void* self, int action, const char* a, const char* b,
                       const char* schema, const char* view);
  static int Progress(void* self);
  int Deny(const std::string& what);

  Database* db_;
  SqlLimits limits_;
  std::chrono::steady_clock::time_point deadline_;
  int64_t rows_ = 0;
  std::string denied_;
  std::string limit_;
};

}  // namespace inquest::findings
