// SPDX-License-Identifier: Apache-2.0
// Reads the two forms of a flight recorder's dump into FlightRecords: the
// pickle that PyTorch writes to files and the JSON of its other interfaces. For
// flight_recorder.cc; one thread. An entry becomes a row as soon as it is
// complete. Entries before a fault are kept; the status describes the fault.
#pragma once

#include "analyzer/importers/flight_recorder/flight_records.h"
#include "analyzer/logs/reader/log_input.h"
#include "base/status.h"

namespace inquest::importers {

// kUsage: the file is not such a dump, and nothing was written.
Status ReadFlightPickle(ingest::ByteStream* bytes, FlightRecords* records,
                        nlohmann::json* root);
Status ReadFlightJson(ingest::ByteStream* bytes, FlightRecords* records,
                      nlohmann::json* root);

}  // namespace inquest::importers
