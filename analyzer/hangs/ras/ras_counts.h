// SPDX-License-Identifier: Apache-2.0
// Who is behind and who ahead, from how many operations the ranks of a
// communicator launched. NCCL prints the ranks of the smaller groups, which may
// be those ahead: the counts decide, never who is named. Pure.
#pragma once

#include <string>
#include <vector>

#include "analyzer/hangs/ras/ras_model.h"

namespace inquest::hangs {

struct CountGroup {
  int64_t ranks = 0;     // how many
  int64_t launched = 0;  // up to this operation
  std::vector<RasRank> named;
  RasLine at;
};

// Items of kind behind or ahead for each group but the largest; `about` has
// communicator and size.
void AddCounts(const std::string& operation, std::vector<CountGroup> groups,
               const RasItem& about, RasReports* reports);

}  // namespace inquest::hangs
