// SPDX-License-Identifier: Apache-2.0
// Whether an event lies so far back that it can not be what ended the run. A
// process that finds no memory or whose kernel fails goes down with it or goes
// on: an exception hours later in the same log has a reason of its own. What
// lasts (a full disk, a wrong version, a sick GPU) strikes at any time, and
// what waits (a collective, a scheduler's limit) may take hours to give up, so
// neither is judged.
#pragma once

#include <cstdint>

#include "analyzer/findings/finding.h"

namespace inquest::findings {

// More than the longest waits that are usual within one process: half an hour
// for a collective, an hour for a checkpoint.
inline constexpr int64_t kAtOnce = 7'200'000'000'000;  // nanoseconds

bool IsLongPast(const Finding& event, const Finding& later);

}  // namespace inquest::findings
