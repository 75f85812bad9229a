// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/store/salvage.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analyzer/facts/store/catalogue.h"

namespace inquest::facts {
namespace {

Expected<std::vector<std::string>> Tables(Database* db,
                                          std::string_view schema) {
  return db->QueryTexts(
      fmt::format("SELECT name FROM {}.sqlite_schema WHERE type = "
                  "'table' AND name NOT LIKE 'sqlite%'",
                  schema));
}

bool IsDamage(const Status& status) {
  return status.code() == StatusCode::kUnreadable;
}

void CopyValue(const Statement& from, int column, int parameter,
               Statement* to) {
  if (from.IsNull(column)) {
    to->BindNull(parameter);
  } else if (from.IsInteger(column)) {
    to->Bind(parameter, from.Int(column));
  } else if (from.IsReal(column)) {
    to->Bind(parameter, from.Real(column));
  } else if (from.IsText(column)) {
    to->Bind(parameter, from.Text(column));
  } else {
    const std::string_view bytes = from.Blob(column);
    to->BindBlob(parameter, bytes.data(), bytes.size());
  }
}

// A table of the damaged trace, copied from both ends.
class Table {
 public:
  Table(Database* from, Database* to, const std::string& schema,
        const std::string& name)
      : from_(from), to_(to), schema_(schema), name_(name) {}

  Status Copy() {
    ASSIGN_OR_RETURN(const auto ours, Columns(to_, schema_));
    ASSIGN_OR_RETURN(auto columns, Columns(from_, "main"));
    // An unknown column has no place.
    std::erase_if(columns, [&](const std::string& column) {
      return std::ranges::find(ours, column) == ours.end();
    });
    columns_ = fmt::format("{}", fmt::join(columns, ", "));
    std::string places;
    for (size_t i = 0; i < columns.size(); ++i) places += i == 0 ? "?" : ", ?";
    ASSIGN_OR_RETURN(
        insert_,
        to_->Prepare(fmt::format("INSERT OR IGNORE INTO {}.{} ({}) VALUES ({})",
                                 schema_, name_, columns_, places)));
    RETURN_IF_ERROR(CopyWhere("ORDER BY rowid"));
    if (!damaged_) return Status::Ok();
    return CopyWhere(
        fmt::format("WHERE rowid > {} ORDER BY rowid DESC", last_));
  }
  bool damaged() const { return damaged_; }
  int64_t rows() const { return rows_; }

 private:
  // Up to the damage. A table without rowids is read in one direction only.
  Status CopyWhere(const std::string& which) {
    auto select = from_->Prepare(
        fmt::format("SELECT rowid, {} FROM {} {}", columns_, name_, which));
    const bool has_rowid = select.ok();
    if (!has_rowid && damaged_) return Status::Ok();
    if (!has_rowid) {
      select = from_->Prepare(
          fmt::format("SELECT NULL, {} FROM {}", columns_, name_));
    }
    if (IsDamage(select.status())) damaged_ = true;
    if (!select.ok()) return damaged_ ? Status::Ok() : select.status();
    while (select->Step()) {
      last_ = select->Int(0);
      for (int i = 1; i < select->columns(); ++i) {
        CopyValue(*select, i, i - 1, &insert_);
      }
      RETURN_IF_ERROR(insert_.Run());
      ++rows_;
    }
    damaged_ = damaged_ || IsDamage(select->status());
    return IsDamage(select->status()) ? Status::Ok() : select->status();
  }

  Expected<std::vector<std::string>> Columns(Database* db,
                                             const std::string& schema) const {
    return db->QueryTexts(
        fmt::format("SELECT name FROM pragma_table_info('{}', "
                    "'{}')",
                    name_, schema));
  }

  Database* from_;
  Database* to_;
  std::string schema_;
  std::string name_;
  std::string columns_;
  Statement insert_;
  int64_t last_ = 0;
  int64_t rows_ = 0;
  bool damaged_ = false;
};

Expected<std::string> CopyTables(Database* from, Database* to,
                                 const std::string& schema) {
  ASSIGN_OR_RETURN(const auto tables, Tables(from, "main"));
  ASSIGN_OR_RETURN(const auto ours, Tables(to, schema));
  std::string words;
  for (const std::string& name : ours) {
    if (std::ranges::find(tables, name) == tables.end()) continue;
    Table table(from, to, schema, name);
    RETURN_IF_ERROR(table.Copy());
    if (!table.damaged()) continue;
    words += fmt::format("{}{} {} rows", words.empty() ? "" : ", ", name,
                         table.rows());
  }
  return words;
}

}  // namespace

Expected<bool> IsDamaged(Database* db, const std::string& schema,
                         bool thoroughly) {
  const auto tables = Tables(db, schema);
  if (IsDamage(tables.status())) return true;
  RETURN_IF_ERROR(tables.status());
  for (const std::string& name : *tables) {
    // Not the pages of an index, which are fewer.
    const Status walked =
        db->QueryInt(fmt::format("SELECT count(*) FROM {}.\"{}\" NOT INDEXED",
                                 schema, name))
            .status();
    if (IsDamage(walked)) return true;
    RETURN_IF_ERROR(walked);
  }
  if (!thoroughly) return false;
  ASSIGN_OR_RETURN(Statement check, db->Prepare(fmt::format(
                                        "PRAGMA {}.quick_check(1)", schema)));
  const bool whole = check.Step() && check.Text(0) == "ok";
  return !whole;
}

Expected<std::string> Salvage(Database* db, const std::string& schema,
                              const std::string& uri) {
  RETURN_IF_ERROR(db->Execute("DETACH " + schema));
  RETURN_IF_ERROR(db->Execute(fmt::format("ATTACH '' AS {}", schema)));
  RETURN_IF_ERROR(db->Execute(EmptyTraceSchema(schema)));
  // Not attached: SQLite would take our own transaction for damaged, too.
  ASSIGN_OR_RETURN(Database from,
                   Database::Open(uri, Database::Mode::kReadOnly));
  RETURN_IF_ERROR(db->Execute("BEGIN"));
  auto words = CopyTables(&from, db, schema);
  RETURN_IF_ERROR(db->Execute("COMMIT"));
  return words;
}

}  // namespace inquest::facts
