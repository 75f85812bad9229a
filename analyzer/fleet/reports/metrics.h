// SPDX-License-Identifier: Apache-2.0
// The fleet in the text format of Prometheus, for the textfile collector of
// node_exporter. Counters, by cause, node and job; the jobs are limited to the
// last ones, because each label is a time series of its own.
#pragma once

#include <string>

#include "analyzer/fleet/store/fleet_database.h"

namespace inquest::fleet {

Expected<std::string> Metrics(FleetDatabase* db, int64_t jobs);

}  // namespace inquest::fleet
