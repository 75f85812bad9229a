// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/sandbox/sandbox.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <string_view>
#include <utility>

#include "analyzer/findings/sandbox/sandbox_functions.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

// How much longer than its processor time a thread may wait for a busy machine
// or a disk.
constexpr int kWaitingFactor = 10;
// Small enough that a hundred slow functions fit between two checks.
constexpr int kOperationsBetweenChecks = 200;

// Names outside the contract: the tables of the facts, SQLite's own, and the
// schemas in which traces are attached. SQLite's authorizer does not say
// whether the statement or one of our views reads a table, so this checks the
// text. Reading these tables is harmless, but may break with a later version.
std::string PrivateName(const std::string& sql) {
  static const auto* pattern = new RE2(
      "(?i)\\b(store_\\w*|sqlite_\\w*|pragma_\\w*|"
      "(?:trace\\d+|merged|empty|main|temp)\"?\\s*\\.)");
  std::string text;
  bool literal = false;
  for (const char c : sql) {
    if (c == '\'') literal = !literal;
    if (!literal) text += c;
  }
  std::string name;
  RE2::PartialMatch(text, *pattern, &name);
  return name;
}

// SQLite creates its table-valued functions at first use, with statements that
// the authorizer would refuse.
void MakeTableFunctions(Database* db) {
  auto statement =
      db->Prepare("SELECT 1 FROM json_each('[]'), json_tree('[]')");
  (void)statement.ok();
}

}  // namespace

Sandbox::Sandbox(Database* db, const SqlLimits& limits)
    : db_(db), restriction_(db) {
  Restart(limits);
  MakeTableFunctions(db_);
  (void)DefineTextFunctions(db_);
  guard_.emplace(
      db_,
      [this](SqlAction action, std::string_view name) {
        return MayDo(action, name);
      },
      kOperationsBetweenChecks, [this] { return MustStop(); });
}

void Sandbox::Restart(const SqlLimits& limits) {
  limits_ = limits;
  restriction_.Set(limits);
  const std::chrono::milliseconds limit(limits.milliseconds);
  deadline_ = ThreadClock::now() + limit;
  last_deadline_ = std::chrono::steady_clock::now() + kWaitingFactor * limit;
  RestartRows();
  denied_.clear();
  limit_.clear();
}

void Sandbox::RestartRows() {
  rows_ = 0;
  bytes_ = 0;
}

bool Sandbox::MayDo(SqlAction action, std::string_view name) {
  const bool function = action == SqlAction::kFunction;
  if (function ? IsAllowedFunction(name) : action == SqlAction::kSelect) {
    return true;
  }
  if (denied_.empty()) {
    denied_ = function ? fmt::format("the function '{}' is not allowed", name)
                       : "only SELECT is allowed";
  }
  return false;
}

std::string Sandbox::TakeLimit() {
  if (limit_.empty() && Expired()) MustStop();
  return std::exchange(limit_, {});
}

bool Sandbox::Expired() const {
  return std::chrono::steady_clock::now() >= last_deadline_ ||
         ThreadClock::now() >= deadline_ || Database::PastDeadline();
}

bool Sandbox::MustStop() {
  if (restriction_.TakeRefusal()) {
    NameMemory();
    return true;
  }
  if (!Expired()) return false;
  limit_ = Database::PastDeadline()
               ? "stopped: the time that was given is over"
               : fmt::format("stopped after {} ms", limits_.milliseconds);
  return true;
}

Expected<Statement> Sandbox::Prepare(const std::string& sql) {
  denied_.clear();
  if (sql.size() > kMaxSqlLength) {
    return Status(StatusCode::kRules,
                  fmt::format("it is longer than {} bytes", kMaxSqlLength));
  }
  if (const std::string name = PrivateName(sql); !name.empty()) {
    return Status(StatusCode::kRules,
                  fmt::format("it reads '{}', which is not a fact", name));
  }
  std::string_view rest;
  auto statement = db_->Prepare(sql, &rest);
  if (statement.ok() &&
      rest.find_first_not_of(" \t\r\n;") != std::string_view::npos) {
    return Status(StatusCode::kRules, "only one statement is allowed");
  }
  if (statement.ok() && !statement->is_prepared()) {
    return Status(StatusCode::kRules, "it contains no statement");
  }
  if (statement.ok() && !statement->IsReadOnly()) {
    return Status(StatusCode::kRules, "only SELECT is allowed");
  }
  if (statement.ok()) return statement;
  NameFailure();
  std::string why = denied_.empty() ? statement.status().message() : denied_;
  return Status(StatusCode::kRules, std::move(why));
}

// Whether the row still fits the budgets.
bool Sandbox::Count(const Statement& row) {
  ++rows_;
  bytes_ += BytesOf(row);
  if (bytes_ <= limits_.bytes) return true;
  limit_ = fmt::format("stopped: its rows take up more than {}",
                       FormatBytes(limits_.bytes));
  return false;
}

void Sandbox::NameMemory() {
  limit_ = fmt::format("stopped: it needs more than {} of memory",
                       FormatBytes(limits_.memory));
}

// Names the budget if the error is one of SQLite's own limits.
void Sandbox::NameFailure() {
  if (!limit_.empty()) return;
  const SqlFailure failure = LastSqlFailure(*db_);
  if (failure == SqlFailure::kNoMemory) {
    NameMemory();
  } else if (failure == SqlFailure::kTooBig) {
    limit_ = fmt::format("stopped: it makes texts of more than {}",
                         FormatBytes(limits_.text));
  }
}

bool Sandbox::Step(Statement* statement) {
  if (!limit_.empty()) return false;
  if (rows_ >= limits_.rows) {
    limit_ = fmt::format("stopped after {} rows", limits_.rows);
    return false;
  }
  if (statement->Step()) return Count(*statement);
  if (!statement->status().ok()) NameFailure();
  return false;
}

}  // namespace inquest::findings
