// SPDX-License-Identifier: Apache-2.0
// Another tool's database, opened so that nothing in it is executed: read only,
// ignoring any journal beside it, without triggers, views, virtual tables or
// functions with side effects, and with a limit on the size of a value. SQLite
// stores any type in any column, so each value's type is checked. A damaged
// page ends the reading of its table and is kept as a fault, not returned as an
// error; so is the end of a file before its last page. For nsys. One thread;
// memory is SQLite's cache.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/database.h"
#include "base/status.h"

namespace inquest::importers {

class ForeignTables;

class ForeignRows {
 public:
  ForeignRows(ForeignTables* tables, Statement statement)
      : tables_(tables), statement_(std::move(statement)) {}

  template <class... Values>
  ForeignRows& BindAll(const Values&... values) {
    statement_.BindAll(values...);
    return *this;
  }
  // Reads the next row's columns; false after the last one and at damage. An
  // integer is read only from an integer: others are 0 or an empty optional.
  // A string_view is valid until the next call.
  template <class... Columns>
  bool Next(Columns*... columns) {
    if (!Step()) return false;
    int index = 0;
    (Read(index++, columns), ...);
    return true;
  }

 private:
  bool Step();
  void Read(int index, std::optional<int64_t>* value) const;
  void Read(int index, int64_t* value) const;
  void Read(int index, std::string_view* value) const;
  void Read(int index, std::string* value) const;

  ForeignTables* tables_;
  Statement statement_;
};

class ForeignTables {
 public:
  static Expected<ForeignTables> Open(const std::string& path);

  bool Has(std::string_view table) const { return tables_.contains(table); }
  bool Has(std::string_view table, std::string_view column) const;
  int64_t application_id() const { return application_id_; }

  // The columns of a table, in its own order or as `rest` says; missing columns
  // read as NULL. A missing table has no rows.
  ForeignRows Select(std::string_view table,
                     std::initializer_list<std::string_view> columns,
                     std::string_view rest = "");
  // Any other statement.
  ForeignRows Query(const std::string& sql);
  // The file ends before its last page: a sort or a join of a table that is not
  // all there would give nothing.
  bool cut() const { return cut_; }
  // The first damage found; ok if none.
  const Status& fault() const { return fault_; }

 private:
  friend class ForeignRows;
  Status Restrict(bool cut);
  Status ReadSchema();

  Database db_;
  int64_t application_id_ = 0;
  bool cut_ = false;
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>>
      tables_;
  Status fault_;
};

}  // namespace inquest::importers
