#include "authoring/ruletests/given_facts.h"

#include <sqlite3.h>

#include <chrono>
#include <set>

#include "analyzer/facts/store/catalogue.h"
#include "analyzer/findings/collect/row_figures.h"

namespace inquest::ruletests {
namespace {

constexpr auto kMaxTime = std::chrono::seconds(5);
constexpr int kOperationsBetweenChecks = 1000;
constexpr int64_t kMaxHeapBytes = 256 << 20;
constexpr char kFirstTime[] = "1800000000000000000";  // of rows without one

// Made by the analysis itself; see loader_given.cc.
bool IsMade(const std::string& fact) {
  static const auto* made = new std::set<std::string>{
      "run", "ending", "log_event", "log_line", "log_source", "figure"};
  return made->contains(fact);
}

// The text that a missing value becomes.
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
      : db_(db), deadline_(std::chrono::steady_clock::now() + kMaxTime) {
    sqlite3_set_authorizer(db->raw(), &Authorize, nullptr);
    sqlite3_progress_handler(db->raw(), kOperationsBetweenChecks, &Progress,
                             this);
    sqlite3_limit(db->raw(), SQLITE_LIMIT_LENGTH, 16 << 20);
    sqlite3_hard_heap_limit64(kMaxHeapBytes);
  }
  ~InsertsOnly() {
    sqlite3_set_authorizer(db_->raw(), nullptr, nullptr);
    sqlite3_progress_handler(db_->raw(), 0, nullptr, nullptr);
    sqlite3_limit(db_->raw(), SQLITE_LIMIT_LENGTH, 1000000000);
    sqlite3_hard_heap_limit64(0);
  }
  InsertsOnly(const InsertsOnly&) = delete;
  InsertsOnly& operator=(const InsertsOnly&) = delete;

 private:
  static bool MayInsert(const std::string& name) {
    constexpr std::string_view kGiven = "store_given_";
    const std::string fact =
        name.starts_with(kGiven) ? name.substr(kGiven.size()) : name;
    return facts::FindFact(fact) != nullptr && !IsMade(fact);
  }

  // What a series of rows needs; nothing that reads a file, loads code or
  // makes two runs of a test differ.
  static bool MayCall(const std::string& function) {
    static const auto* allowed = new std::set<std::string>{
        "abs", "char",   "coalesce",   "count",   "hex",         "ifnull",
        "iif", "json",   "lower",      "length",  "json_object", "max",
        "min", "nullif", "json_array", "replace", "round",       "substr",
        "sum", "upper",  "format"};
    return allowed->contains(function);
  }

  static int Authorize(void*, int action, const char* a, const char* b,
                       const char*, const char*) {
    switch (action) {
      case SQLITE_SELECT:
      case SQLITE_READ:
      case SQLITE_RECURSIVE:
        return SQLITE_OK;
      case SQLITE_INSERT:
        return MayInsert(a == nullptr ? "" : a) ? SQLITE_OK : SQLITE_DENY;
      case SQLITE_FUNCTION:
        return MayCall(b == nullptr ? "" : b) ? SQLITE_OK : SQLITE_DENY;
      default:
        return SQLITE_DENY;
    }
  }

  static int Progress(void* self) {
    const auto* inserts = static_cast<InsertsOnly*>(self);
    return std::chrono::steady_clock::now() > inserts->deadline_ ? 1 : 0;
  }

  Database* db_;
  std::chrono::steady_clock::time_point deadline_;
};

Status RunSql(Database* db, const std::string& sql) {
  const InsertsOnly restriction(db);
  if (Status status = db->Execute(sql); !status.ok()) {
    return Usage("the SQL: " + status.message())
        .WithHint(
            "it may hold INSERTs into facts that a collector records or the "
            "memory analysis makes, and no other statement");
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
  for (const GivenRows& given : rows) {
    for (const Figures& row : given.rows) {
      if (Status status = Insert(db, given.fact, row); !status.ok()) {
        return Usage("a row of '" + given.fact + "': " + status.message());
      }
    }
  }
  if (!sql.empty()) RETURN_IF_ERROR(RunSql(db, sql));
  // Rows belong to a process, so there must be one.
  if ((!rows.empty() || !sql.empty()) && !store->HasRows("process")) {
    return Insert(db, "process", {{"pid", 4242}});
  }
  return Status::Ok();
}

}  // namespace inquest::ruletests
