// SPDX-License-Identifier: Apache-2.0
// Waits for the end of the command, and meanwhile does what only its parent
// can: passes on the size of the terminal, stops when the command is stopped
// from the keyboard. One thread.
#pragma once

#include <sys/types.h>

#include "cli/record/channel.h"
#include "cli/record/relayed_signals.h"

namespace inquest::record {

// Returns the status as waitpid does. Afterwards no signals are passed on.
int AwaitCommand(pid_t command, const Channels& channels, Signals* signals);

}  // namespace inquest::record
