// SPDX-License-Identifier: Apache-2.0
// Structs as rows of a table: their columns are named once, in the struct, for
// both reading and writing.
//
//   struct Step {
//     int64_t step = 0;
//     std::optional<int64_t> rank;
//     template <class V> void Columns(V& v) { v("step", step); v("rank", rank);
//     }
//   };
//   ASSIGN_OR_RETURN(auto insert, InsertInto<Step>(&db, "steps"));
//   RETURN_IF_ERROR(insert.Add(step));
//   ASSIGN_OR_RETURN(auto rows,
//                    SelectRows<Step>(&db, "FROM steps WHERE rank=?"));
//   rows.statement().BindAll(3);
//   for (Step step; rows.Next(&step);) …
//
// Names of columns are not quoted: they may be SQL expressions if a struct
// is only read. One thread, as the database.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/database.h"

namespace inquest {

namespace rows_internal {

struct Names {
  template <class T>
  void operator()(std::string_view name, const T&) {
    names.append(count++ == 0 ? "" : ", ").append(name);
    marks.append(count == 1 ? "?" : ", ?");
  }
  std::string names;
  std::string marks;
  int count = 0;
};

template <class Row>
Names NamesOf() {
  Names names;
  Row row;
  row.Columns(names);
  return names;
}

}  // namespace rows_internal

template <class Row>
class RowReader {
 public:
  explicit RowReader(Statement statement) : statement_(std::move(statement)) {}

  // For parameters and status().
  Statement& statement() { return statement_; }

  bool Next(Row* row) {
    if (!statement_.Step()) return false;
    int index = 0;
    auto take = [&](std::string_view, auto& column) {
      statement_.ReadColumn(index++, &column);
    };
    row->Columns(take);
    return true;
  }

 private:
  Statement statement_;
};

template <class Row>
class RowInserter {
 public:
  explicit RowInserter(Statement statement)
      : statement_(std::move(statement)) {}

  // Columns() changes nothing here, but has one form for both directions.
  Status Add(const Row& row) {
    int index = 0;
    auto put = [&](std::string_view, const auto& column) {
      statement_.BindColumn(index++, column);
    };
    const_cast<Row&>(row).Columns(put);
    return statement_.Run();
  }

 private:
  Statement statement_;
};

// `from` is what follows the columns: "FROM table WHERE … ORDER BY …".
template <class Row>
Expected<RowReader<Row>> SelectRows(Database* db, std::string_view from) {
  ASSIGN_OR_RETURN(Statement statement,
                   db->Prepare("SELECT " + rows_internal::NamesOf<Row>().names +
                               " " + std::string(from)));
  return RowReader<Row>(std::move(statement));
}

template <class Row>
Expected<RowInserter<Row>> InsertInto(Database* db, std::string_view table) {
  const rows_internal::Names names = rows_internal::NamesOf<Row>();
  ASSIGN_OR_RETURN(Statement statement,
                   db->Prepare("INSERT INTO " + std::string(table) + " (" +
                               names.names + ") VALUES (" + names.marks + ")"));
  return RowInserter<Row>(std::move(statement));
}

}  // namespace inquest
