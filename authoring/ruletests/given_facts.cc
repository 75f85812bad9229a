// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/given_facts.h"

#include <chrono>
#include <set>

#include "analyzer/facts/store/catalogue.h"
#include "analyzer/findings/collect/row_figures.h"
#include "base/database_hooks.h"
#include "base/thread_clock.h"

namespace inquest::ruletests {
namespace {

constexpr auto kMaxTime = std::chrono::seconds(1);  // of the processor
constexpr int kOperationsBetweenChecks = 1000;
constexpr int64_t kMaxHeapBytes = 256 << 20;
constexpr int kMaxText = 16 << 20;                    // bytes
constexpr char kFirstTime[] = "1800000000000000000";  // of rows without one

// Derived by the analysis; see test_loader_given.cc.
bool IsMade(const std::string& fact) {
  static const auto* made = new std::set<std::string>{
      "run", "ending", "log_event", "log_line", "log_source", "figure"};
  return made->contains(fact);
}

// The SQL for a missing value.
std::string DefaultOf(const facts::Fact& fact, const facts::FactColumn& column,
                      const std::string& type) {
  if (column.nullable) return "NULL";
  if (column.name == "process") return "1";
  const std::string rows = "(SELECT count(*) FROM store_given_" + fact.name;
  if (column.name == "time") {
    return std::string(kFirstTime) + " + 1000000000 * " + rows + ")";
  }
  if (column.name == "id" || column.name == fact.name) return rows + ") + 1";
  return type == "TEXT" ? "''" : "0";
}

Expected<std::string> ViewSql(Database* db, const std::string& name) {
  ASSIGN_OR_RETURN(
      Statement row,
      db->Prepare("SELECT sql FROM sqlite_temp_schema WHERE name = ?"));
  row.BindAll(name);
  std::string sql;
  if (!row.Next(&sql)) return Internal("there is no view '" + name + "'");
  // SQLite keeps it as "CREATE VIEW …".
  return "CREATE TEMP" + sql.substr(std::string("CREATE").size());
}

Status Open(Database* db, const facts::Fact& fact) {
  ASSIGN_OR_RETURN(const std::string view, ViewSql(db, fact.name));
  std::string columns;
  std::string values;
  ASSIGN_OR_RETURN(Statement info,
                   db->Prepare("PRAGMA table_info(" + fact.name + ")"));
  for (const facts::FactColumn& column : fact.columns) {
    const std::string type(info.Step() ? info.Text(2) : "");
    columns += (columns.empty() ? "" : ", ") + column.name;
    values += (values.empty() ? "" : ", ");
    values += "coalesce(NEW." + column.name + ", " +
              DefaultOf(fact, column, type) + ")";
  }
  info = Statement();
  const std::string table = "store_given_" + fact.name;
  return db->Execute(
      "CREATE TEMP TABLE " + table + " (" + columns + "); DROP VIEW " +
      fact.name + "; " + view + "\nUNION ALL SELECT " + columns + " FROM " +
      table + "; CREATE TEMP TRIGGER " + table +
      "_insert INSTEAD OF INSERT ON " + fact.name + " BEGIN INSERT INTO " +
      table + " VALUES (" + values + "); END;");
}

Status Insert(Database* db, const std::string& fact, const Figures& row) {
  std::string columns;
  std::string marks;
  for (const auto& [name, unused] : row) {
    columns += (columns.empty() ? "" : ", ") + name;
    marks += marks.empty() ? "?" : ", ?";
  }
  // One column at least; NULL takes the default.
  if (columns.empty()) {
    columns = facts::FindFact(fact)->columns.front().name;
    marks = "NULL";
  }
  ASSIGN_OR_RETURN(Statement insert,
                   db->Prepare("INSERT INTO " + fact + " (" + columns +
                               ") VALUES (" + marks + ")"));
  int index = 0;
  for (const auto& [unused, value] : row) {
    findings::BindFigure(index++, value, &insert);
  }
  return insert.Run();
}

// Restricts a connection while untrusted INSERTs run.
class InsertsOnly {
 public:
  explicit InsertsOnly(Database* db)
      : db_(db),
        length_before_(SetSqlLimit(db, SqlLimit::kLength, kMaxText)),
        deadline_(ThreadClock::now() + kMaxTime),
        guard_(db, MayDo, kOperationsBetweenChecks,
               [this] { return ThreadClock::now() > deadline_; }) {
    LimitSqlHeap(kMaxHeapBytes);
  }
  ~InsertsOnly() {
    SetSqlLimit(db_, SqlLimit::kLength, length_before_);
    LimitSqlHeap(0);
  }
  InsertsOnly(const InsertsOnly&) = delete;
  InsertsOnly& operator=(const InsertsOnly&) = delete;

 private:
  static bool MayInsert(std::string_view name) {
    constexpr std::string_view kGiven = "store_given_";
    const std::string fact(
        name.substr(name.starts_with(kGiven) ? kGiven.size() : 0));
    return facts::FindFact(fact) != nullptr && !IsMade(fact);
  }

  // Functions for series of rows; none that reads a file, loads code or makes
  // two runs of a test differ.
  static bool MayCall(std::string_view function) {
    static const auto* allowed = new std::set<std::string_view>{
        "abs", "char",   "coalesce",   "count",   "hex",         "ifnull",
        "iif", "json",   "lower",      "length",  "json_object", "max",
        "min", "nullif", "json_array", "replace", "round",       "substr",
        "sum", "upper",  "format"};
    return allowed->contains(function);
  }

  static bool MayDo(SqlAction action, std::string_view name) {
    if (action == SqlAction::kInsert) return MayInsert(name);
    if (action == SqlAction::kFunction) return MayCall(name);
    return action == SqlAction::kSelect;
  }

  Database* db_;
  int length_before_;
  ThreadClock::time_point deadline_;
  SqlGuard guard_;
};

Status RunSql(Database* db, const std::string& sql) {
  const InsertsOnly restriction(db);
  if (Status status = db->Execute(sql); !status.ok()) {
    return Usage("the SQL: " + status.message())
        .WithHint(
            "it may only contain INSERTs into facts that a collector records "
            "or the memory analysis makes");
  }
  return Status::Ok();
}

}  // namespace

Status GiveFacts(facts::Store* store, const std::vector<GivenRows>& rows,
                 const std::string& sql) {
  Database* db = &store->db();
  std::set<std::string> open;
  for (const GivenRows& given : rows) open.insert(given.fact);
  for (const facts::Fact& fact : facts::Catalogue()) {
    const bool any = !sql.empty() || (!open.empty() && fact.name == "process");
    if (IsMade(fact.name) || (!any && !open.contains(fact.name))) continue;
    RETURN_IF_ERROR(Open(db, fact));
  }
  // Together: SQLite goes through all changed pages at the end of each.
  RETURN_IF_ERROR(db->Execute("BEGIN"));
  for (const GivenRows& given : rows) {
    for (const Figures& row : given.rows) {
      if (Status status = Insert(db, given.fact, row); !status.ok()) {
        return Usage("a row of '" + given.fact + "': " + status.message());
      }
    }
  }
  if (!sql.empty()) RETURN_IF_ERROR(RunSql(db, sql));
  RETURN_IF_ERROR(db->Execute("COMMIT"));
  // Rows belong to a process, so there must be one.
  if ((!rows.empty() || !sql.empty()) && !store->HasRows("process")) {
    return Insert(db, "process", {{"pid", 4242}});
  }
  return Status::Ok();
}

}  // namespace inquest::ruletests
