#include "analyzer/findings/sandbox.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <sqlite3.h>

#include <set>
#include <string_view>

namespace inquest::findings {
namespace {

constexpr int kOperationsBetweenChecks = 1000;

// Deterministic functions without side effects. What is not here, is refused:
// load_extension, random, the clock, and those that make giant strings.
const std::set<std::string_view>& AllowedFunctions() {
  static const auto* functions =
      new std::set<std::string_view>{"abs",
                                     "avg",
                                     "ceil",
                                     "ceiling",
                                     "char",
                                     "coalesce",
                                     "count",
                                     "cume_dist",
                                     "dense_rank",
                                     "exp",
                                     "first_value",
                                     "floor",
                                     "glob",
                                     "group_concat",
                                     "hex",
                                     "ifnull",
                                     "iif",
                                     "instr",
                                     "json",
                                     "json_array",
                                     "json_array_length",
                                     "json_extract",
                                     "json_group_array",
                                     "json_group_object",
                                     "json_object",
                                     "json_type",
                                     "json_valid",
                                     "lag",
                                     "last_value",
                                     "lead",
                                     "length",
                                     "like",
                                     "ln",
                                     "log",
                                     "log10",
                                     "log2",
                                     "lower",
                                     "ltrim",
                                     "max",
                                     "min",
                                     "nth_value",
                                     "ntile",
                                     "nullif",
                                     "percent_rank",
                                     "pow",
                                     "power",
                                     "quote",
                                     "rank",
                                     "replace",
                                     "round",
                                     "row_number",
                                     "rtrim",
                                     "sign",
                                     "sqrt",
                                     "substr",
                                     "substring",
                                     "sum",
                                     "total",
                                     "trim",
                                     "typeof",
                                     "unicode",
                                     "upper",
                                     "->",
                                     "->>"};
  return *functions;
}

// Names outside the contract: the tables behind the facts, SQLite's own, and
// the schemas in which traces are attached. SQLite's authorizer cannot tell
// which table a statement names itself and which a view of ours reads, so the
// text is looked at. Reading them could do no harm, but would break one day.
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

// SQLite makes its table-valued functions at first use, by statements that the
// authorizer would refuse.
void MakeTableFunctions(Database* db) {
  auto statement =
      db->Prepare("SELECT 1 FROM json_each('[]'), json_tree('[]')");
  (void)statement.ok();
}

}  // namespace

Sandbox::Sandbox(Database* db, const SqlLimits& limits) : db_(db) {
  Restart(limits);
  MakeTableFunctions(db_);
  sqlite3_set_authorizer(db_->raw(), &Sandbox::Authorize, this);
  sqlite3_progress_handler(db_->raw(), kOperationsBetweenChecks,
                           &Sandbox::Progress, this);
  sqlite3_limit(db_->raw(), SQLITE_LIMIT_LENGTH, 16 << 20);
  sqlite3_limit(db_->raw(), SQLITE_LIMIT_EXPR_DEPTH, 200);
  sqlite3_limit(db_->raw(), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
}

Sandbox::~Sandbox() {
  sqlite3_set_authorizer(db_->raw(), nullptr, nullptr);
  sqlite3_progress_handler(db_->raw(), 0, nullptr, nullptr);
  sqlite3_limit(db_->raw(), SQLITE_LIMIT_LENGTH, 1000000000);
  sqlite3_limit(db_->raw(), SQLITE_LIMIT_EXPR_DEPTH, 1000);
}

void Sandbox::Restart(const SqlLimits& limits) {
  limits_ = limits;
  deadline_ = std::chrono::steady_clock::now() +
              std::chrono::milliseconds(limits.milliseconds);
  rows_ = 0;
  denied_.clear();
  limit_.clear();
}

int Sandbox::Deny(const std::string& what) {
  if (denied_.empty()) denied_ = what;
  return SQLITE_DENY;
}

int Sandbox::Authorize(void* self, int action, const char*, const char* b,
                       const char*, const char*) {
  auto* sandbox = static_cast<Sandbox*>(self);
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
    case SQLITE_READ:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      if (AllowedFunctions().count(b == nullptr ? "" : b) > 0) return SQLITE_OK;
      return sandbox->Deny(fmt::format("the function '{}' is not allowed", b));
    default:
      return sandbox->Deny("only SELECT is allowed");
  }
}

int Sandbox::Progress(void* self) {
  auto* sandbox = static_cast<Sandbox*>(self);
  if (std::chrono::steady_clock::now() < sandbox->deadline_) return 0;
  sandbox->limit_ =
      fmt::format("stopped after {} ms", sandbox->limits_.milliseconds);
  return 1;
}

Expected<Statement> Sandbox::Prepare(const std::string& sql) {
  if (const std::string name = PrivateName(sql); !name.empty()) {
    return Status(StatusCode::kRules,
                  fmt::format("it reads '{}', which is no fact", name));
  }
  sqlite3_stmt* raw = nullptr;
  const char* tail = nullptr;
  // A first look finds trailing statements; Prepare below makes the real one.
  sqlite3_prepare_v2(db_->raw(), sql.c_str(), static_cast<int>(sql.size()),
                     &raw, &tail);
  sqlite3_finalize(raw);
  if (raw != nullptr && tail != nullptr &&
      std::string_view(tail).find_first_not_of(" \t\r\n;") !=
          std::string_view::npos) {
    return Status(StatusCode::kRules, "only one statement is allowed");
  }
  auto statement = db_->Prepare(sql);
  if (statement.ok()) return statement;
  std::string why = denied_.empty() ? statement.status().message() : denied_;
  return Status(StatusCode::kRules, std::move(why));
}

bool Sandbox::Step(Statement* statement) {
  if (!limit_.empty()) return false;
  if (rows_ >= limits_.rows) {
    limit_ = fmt::format("stopped after {} rows", limits_.rows);
    return false;
  }
  if (!statement->Step()) return false;
  ++rows_;
  return true;
}

}  // namespace inquest::findings
