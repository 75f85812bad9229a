// SPDX-License-Identifier: Apache-2.0
// What many runs have in common, as one page of HTML that needs nothing else:
// causes by GPU-hours, nodes and cards that fail again, what happened when, and
// unknown ends by their wording. Called by `inquest fleet report`. The page has
// the answers of the text report and nothing besides but the causes over time.
#pragma once

#include <string>
#include <vector>

#include "analyzer/fleet/reports/sections.h"

namespace inquest::fleet {

struct FleetPageInput {
  std::string tool_version;
  std::string database;  // its kind
  int64_t days = 0;      // that were asked for; 0: all
  int64_t rows = 0;      // of each answer; one more was asked for
  std::vector<Section> sections;
  Rows by_day;  // see TrendQuestion
};

// The question whose answer is `by_day`.
Question TrendQuestion();

Expected<std::string> FleetPage(const FleetPageInput& input);

}  // namespace inquest::fleet
