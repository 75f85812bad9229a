// SPDX-License-Identifier: Apache-2.0
// Which ranks a job has, of which there is something, and of which nothing is.
// For describe_job.h and its parts.
#pragma once

#include <string>

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/job/job.h"

namespace inquest::findings {

// The ranks that a query selects, which orders them.
Expected<Ranks> SelectRanks(facts::Store* store, const std::string& sql);

// 0 to `count` - 1.
Ranks UpTo(int64_t count);
Ranks Without(const Ranks& all, const Ranks& some);

// How many ranks have a log or a trace of their own: where more than one has, a
// gap in their numbers is a rank of which nothing was given. Lines of one log
// tell of the ranks that had something to say.
Expected<int64_t> RanksWithOwnFiles(facts::Store* store);

// `files`: of RanksWithOwnFiles.
Status FillRanks(facts::Store* store, int64_t files, Job* job);

// A line may name the rank on the other side, which has no line of its own in a
// log of several. Where each rank has a file, one without is missing.
Status AddNamedRanks(facts::Store* store, int64_t files, Job* job);

}  // namespace inquest::findings
