// SPDX-License-Identifier: Apache-2.0
// What Slurm's accounting says of jobs: how long they ran on how many GPUs.
// Reads the output of `sacct --parsable2`, whose first line names the columns.
#pragma once

#include <string_view>
#include <vector>

#include "analyzer/fleet/results/rows.h"
#include "base/status.h"

namespace inquest::fleet {

// JobID or JobIDRaw is needed; ElapsedRaw, AllocTRES, State and NodeList are
// taken where they are. Steps of jobs (123.batch) are left out. With both,
// a job of an array has a row under each id.
Expected<std::vector<JobRow>> ReadSacct(std::string_view text);

}  // namespace inquest::fleet
