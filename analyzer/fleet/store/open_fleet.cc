// SPDX-License-Identifier: Apache-2.0
// Opens a database of results and brings its schema up to date.
#include <fmt/format.h>

#include "analyzer/fleet/store/fleet_database.h"
#include "fleet_migrations.h"

namespace inquest::fleet {
namespace {

constexpr std::string_view kMakeVersions =
    "CREATE TABLE IF NOT EXISTS fleet_schema (version BIGINT PRIMARY KEY)";

Expected<int64_t> VersionOf(FleetDatabase* db) {
  ASSIGN_OR_RETURN(
      const Rows found,
      db->Query("SELECT coalesce(max(version), 0) FROM fleet_schema", {}));
  return std::get<int64_t>(found.rows.front().front());
}

// Each file is one step; its place in the list is its number.
Status ApplyFrom(FleetDatabase* db, int64_t version) {
  const auto steps = migrations::Files();
  const auto known = static_cast<int64_t>(steps.size());
  if (version > known) {
    return Unreadable(fmt::format("the database has the fleet's schema {}, "
                                  "and this program knows those up to {}",
                                  version, known))
        .WithHint("use the newer inquest that made it");
  }
  for (; version < known; ++version) {
    RETURN_IF_ERROR(db->Execute(steps[static_cast<size_t>(version)].text));
    RETURN_IF_ERROR(db->Run("INSERT INTO fleet_schema (version) VALUES ($1)",
                            {version + 1}));
  }
  return Status::Ok();
}

Status MigrateAlone(FleetDatabase* db) {
  RETURN_IF_ERROR(db->Execute(kMakeVersions));
  ASSIGN_OR_RETURN(const int64_t version, VersionOf(db));
  return ApplyFrom(db, version);
}

}  // namespace

bool MeansPostgres(const std::string& where) {
  return where.starts_with("postgres://") ||
         where.starts_with("postgresql://") ||
         where.find("dbname=") != where.npos ||
         where.find("host=") != where.npos ||
         where.find("service=") != where.npos;
}

Status Migrate(FleetDatabase* db) {
  RETURN_IF_ERROR(db->BeginAlone());
  if (Status status = MigrateAlone(db); !status.ok()) {
    (void)db->Execute("ROLLBACK");
    return status;
  }
  return db->Execute("COMMIT");
}

Expected<std::unique_ptr<FleetDatabase>> OpenFleet(const std::string& where) {
  ASSIGN_OR_RETURN(
      auto db, MeansPostgres(where) ? OpenPostgres(where) : OpenSqlite(where));
  RETURN_IF_ERROR(Migrate(db.get()));
  return Expected<std::unique_ptr<FleetDatabase>>(std::move(db));
}

}  // namespace inquest::fleet
