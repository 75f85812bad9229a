// SPDX-License-Identifier: Apache-2.0
// The database of many results: SQLite in a file, or PostgreSQL. One schema and
// one wording of SQL for both: parameters are $1, $2, … in the order of their
// first use, types are those of sql/migrations. Used by everything in
// fleet/; no other part of the program keeps results. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace inquest::fleet {

using Field = std::variant<std::monostate, int64_t, double, std::string>;
using Fields = std::vector<Field>;

struct Rows {
  std::vector<std::string> columns;
  std::vector<Fields> rows;
};

class FleetDatabase {
 public:
  virtual ~FleetDatabase() = default;

  // One or more statements without parameters and rows.
  virtual Status Execute(std::string_view sql) = 0;
  // A statement with parameters and without rows. It is prepared once.
  virtual Status Run(const std::string& sql, const Fields& values) = 0;
  virtual Expected<Rows> Query(const std::string& sql,
                               const Fields& values) = 0;
  // Begins a transaction that keeps other writers waiting until its end.
  virtual Status BeginAlone() = 0;
  virtual std::string kind() const = 0;  // "SQLite", "PostgreSQL"
};

// `where`: a file, or what libpq calls a connection string
// ("postgresql://…", "host=… dbname=…"). Brings an older schema up to date,
// and makes an empty database one; a newer schema is refused.
Expected<std::unique_ptr<FleetDatabase>> OpenFleet(const std::string& where);

// Parts of OpenFleet.
bool MeansPostgres(const std::string& where);
Expected<std::unique_ptr<FleetDatabase>> OpenSqlite(const std::string& path);
// Where the program was built without libpq, an error that says so.
Expected<std::unique_ptr<FleetDatabase>> OpenPostgres(const std::string& where);
Status Migrate(FleetDatabase* db);

}  // namespace inquest::fleet
