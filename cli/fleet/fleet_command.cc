// SPDX-License-Identifier: Apache-2.0
// `inquest fleet`: many runs, their results and what they have in common.
#include <cstdlib>
#include <filesystem>

#include "cli/fleet/fleet_commands.h"

namespace inquest::cli {
namespace {

std::string UsualDatabase() {
  const char* chosen = std::getenv("INQUEST_FLEET");
  return chosen != nullptr && *chosen != '\0' ? chosen : "inquest-fleet.sqlite";
}

}  // namespace

void AddFleetPlace(Command command, FleetPlace* place) {
  place->database = UsualDatabase();
  command
      .Takes("--database", &place->database,
             "Where results are kept: a file for SQLite, or a connection "
             "string of PostgreSQL (postgresql://…, host=… dbname=…); "
             "INQUEST_FLEET names another default")
      .Called("FILE|URL");
}

Expected<std::unique_ptr<fleet::FleetDatabase>> OpenFleetAt(
    const FleetPlace& place, bool make) {
  std::error_code error;
  if (!make && !fleet::MeansPostgres(place.database) &&
      !std::filesystem::exists(place.database, error)) {
    return Unreadable("there is no database '" + place.database + "'")
        .WithHint("`inquest fleet load RESULT.json…` makes it");
  }
  return fleet::OpenFleet(place.database);
}

void AddFleet(Command program) {
  const Command fleet = program.Add(
      "fleet", "Many runs: diagnose them, keep the results, see what recurs");
  fleet.NeedsCommand();
  AddFleetDiagnose(fleet);
  AddFleetLoad(fleet);
  AddFleetMetrics(fleet);
  AddFleetReport(fleet);
  AddFleetSlurm(fleet);
}

}  // namespace inquest::cli
