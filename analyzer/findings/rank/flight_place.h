// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a job stood when their flight recorders were dumped, in
// words, for a run of which nothing else is known (last_signs.cc). A dump does
// not tell whether what was under way went on, so these words name no failure.
#pragma once

#include <string>

#include "analyzer/facts/store/store.h"

namespace inquest::findings {

// "when the dumps were written, ranks 0–3 stood in all_reduce 2 of group 0
// (default_pg) since 08:00:00.001 UTC (time limit 10 min), and …"; empty where
// there are no dumps.
std::string FlightPlace(facts::Store* store);

}  // namespace inquest::findings
