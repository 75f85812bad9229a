// SPDX-License-Identifier: Apache-2.0
// The folder of a whole job: finds the run directories, traces, logs and dumps
// of all its ranks, in subfolders too, and says which rank or node each log is
// of and why. Files that are not evidence (programs, settings, model weights)
// are left out and counted, never fatal. Follows no links. Where a launcher
// started the job several times, the logs of the last attempt are taken.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/inputs.h"

namespace inquest::cli {

struct JobFolderLimits {
  size_t entries = 1'000'000;  // files and folders
  int depth = 12;              // folders within folders
};

// Adds the folder's files to `inputs`. False if nothing in it can be read;
// `inputs->job` then says what is there.
Expected<bool> AddJobFolder(const std::string& folder, Inputs* inputs,
                            const JobFolderLimits& limits = {});

// Reads the first lines of the logs for the rank, node and size of the job that
// they tell. `pattern`, which may be empty, overrides what was inferred.
Status NameUnits(const std::string& pattern, Inputs* inputs);

// Of each log its rank or node and the ground: "rank3.log: rank 3 (its name)".
std::vector<std::string> UnitLines(const Inputs& inputs);

}  // namespace inquest::cli
