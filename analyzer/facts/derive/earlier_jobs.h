// SPDX-License-Identifier: Apache-2.0
// Sets apart the jobs that wrote into a log before the last one did: a script
// whose output is appended, or a job that was put back into the queue. Their
// errors are history, as are errors that a run survived, so log_event.survived
// is set for them. Called once, before the ending is decided.
//
// A job is an earlier one if the scheduler's word of its end is followed by the
// end of another job, by the start of a launcher or of a job's script (an event
// with the figure `launch`), by the end of a run, or by more work than a job
// does while it waits for its end.
#pragma once

#include "analyzer/facts/store/store.h"

namespace inquest::facts {

Status MarkEarlierJobs(Store* store);

}  // namespace inquest::facts
