// SPDX-License-Identifier: Apache-2.0
// Results in an SQLite file, through the project's one wrapper.
#include <map>

#include "analyzer/fleet/store/fleet_database.h"
#include "base/database.h"

namespace inquest::fleet {
namespace {

class SqliteFleet : public FleetDatabase {
 public:
  explicit SqliteFleet(Database db) : db_(std::move(db)) {}

  Status Execute(std::string_view sql) override { return db_.Execute(sql); }

  Status Run(const std::string& sql, const Fields& values) override {
    ASSIGN_OR_RETURN(Statement * statement, Prepared(sql));
    Bind(values, statement);
    while (statement->Step()) {
    }
    const Status status = statement->status();
    statement->Reset();
    return status;
  }

  Expected<Rows> Query(const std::string& sql, const Fields& values) override {
    ASSIGN_OR_RETURN(Statement statement, db_.Prepare(sql));
    Bind(values, &statement);
    Rows found;
    for (int i = 0; i < statement.columns(); ++i) {
      found.columns.emplace_back(statement.ColumnName(i));
    }
    while (statement.Step()) {
      Fields& row = found.rows.emplace_back();
      for (int i = 0; i < statement.columns(); ++i) {
        row.push_back(FieldIn(statement, i));
      }
    }
    RETURN_IF_ERROR(statement.status());
    return found;
  }

  Status BeginAlone() override { return db_.Execute("BEGIN IMMEDIATE"); }
  std::string kind() const override { return "SQLite"; }

 private:
  Expected<Statement*> Prepared(const std::string& sql) {
    const auto known = statements_.find(sql);
    if (known != statements_.end()) return &known->second;
    ASSIGN_OR_RETURN(Statement statement, db_.Prepare(sql));
    return &statements_.emplace(sql, std::move(statement)).first->second;
  }

  static void Bind(const Fields& values, Statement* statement) {
    for (size_t i = 0; i < values.size(); ++i) {
      std::visit(
          [&](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>,
                                         std::monostate>) {
              statement->BindNull(static_cast<int>(i));
            } else {
              statement->BindColumn(static_cast<int>(i), value);
            }
          },
          values[i]);
    }
  }

  static Field FieldIn(const Statement& row, int column) {
    if (row.IsNull(column)) return {};
    if (row.IsInteger(column)) return row.Int(column);
    if (row.IsReal(column)) return row.Real(column);
    return std::string(row.Text(column));
  }

  Database db_;
  std::map<std::string, Statement> statements_;
};

}  // namespace

Expected<std::unique_ptr<FleetDatabase>> OpenSqlite(const std::string& path) {
  ASSIGN_OR_RETURN(Database db, Database::Open(path, Database::Mode::kCreate));
  // Several nodes of one job array may load into one file.
  RETURN_IF_ERROR(db.Execute("PRAGMA busy_timeout = 60000"));
  RETURN_IF_ERROR(db.Execute("PRAGMA synchronous = NORMAL"));
  std::unique_ptr<FleetDatabase> fleet =
      std::make_unique<SqliteFleet>(std::move(db));
  return Expected<std::unique_ptr<FleetDatabase>>(std::move(fleet));
}

}  // namespace inquest::fleet
