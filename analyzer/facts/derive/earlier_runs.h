// SPDX-License-Identifier: Apache-2.0
// Sets apart the runs that wrote into a log before the last one did: a program
// that is started again after each failure, or a log that every attempt is
// appended to. The errors of earlier runs are history, as are errors that a run
// survived, so log_event.survived is set for them. Called once, before the
// ending is decided.
//
// A run begins at an event with the figure `starts_run`: a shell's prompt with
// the command, or the log's first lines again (`repeats_opening`). Those count
// only where a single process writes the log: several ranks write their first
// lines one after the other, before anything fails. The last run is the last
// one with an error or an end; a fault of the hardware outlives a process and
// stays, and a kernel that boots anew tells of runs before it, too.
#pragma once

#include "analyzer/facts/store/store.h"

namespace inquest::facts {

Status MarkEarlierRuns(Store* store);

}  // namespace inquest::facts
