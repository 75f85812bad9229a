// A database of another tool, opened so that nothing in it can act: read only
// and as it lies (no journal beside it is looked at), no triggers, views or
// functions that reach outside, no virtual tables, with limits on the size of
// a value. SQLite keeps any type in any column: what is read says whether it is
// of the type that was meant. A damaged page ends the reading of its table and
// is a fault, not an error. One thread; memory is SQLite's cache.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/database.h"
#include "base/status.h"

namespace inquest::importers {

class ForeignTables {
 public:
  static Expected<ForeignTables> Open(const std::string& path);

  bool Has(std::string_view table) const { return tables_.contains(table); }
  bool Has(std::string_view table, std::string_view column) const;
  int64_t application_id() const { return application_id_; }

  // The columns of a table, in its own order or as `rest` says; those that it
  // lacks read as NULL. A table that is not there has no rows.
  Statement Select(std::string_view table,
                   std::initializer_list<std::string_view> columns,
                   std::string_view rest = "");
  // Any other statement.
  Statement Query(const std::string& sql);
  // To be asked after the last row of each.
  void Note(const Statement& rows);
  // The first damage that was met; ok where there was none.
  const Status& fault() const { return fault_; }

 private:
  Status Restrict();
  Status ReadSchema();

  Database db_;
  int64_t application_id_ = 0;
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>>
      tables_;
  Status fault_;
};

// Nothing where the value is of another type.
std::optional<int64_t> IntegerAt(const Statement& row, int column);
std::string TextAt(const Statement& row, int column);

}  // namespace inquest::importers
