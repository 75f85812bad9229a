// SPDX-License-Identifier: Apache-2.0
// The commands of `inquest fleet`, one file each, and what they share.
#pragma once

#include <memory>
#include <string>

#include "analyzer/fleet/store/fleet_database.h"
#include "cli/command.h"

namespace inquest::cli {

void AddFleetDiagnose(Command fleet);
void AddFleetLoad(Command fleet);
void AddFleetMetrics(Command fleet);
void AddFleetReport(Command fleet);
void AddFleetSlurm(Command fleet);

// --database, with INQUEST_FLEET as its default.
struct FleetPlace {
  std::string database;
};
void AddFleetPlace(Command command, FleetPlace* place);
// `make`: a file that is not there yet is made; otherwise it is an error.
Expected<std::unique_ptr<fleet::FleetDatabase>> OpenFleetAt(
    const FleetPlace& place, bool make);

}  // namespace inquest::cli
