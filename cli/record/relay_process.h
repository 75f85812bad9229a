// SPDX-License-Identifier: Apache-2.0
// The process that relays the command's output (relay.h), as the recorder sees
// it: started before the command runs, told about the command's beginning and
// end, asked what became of the log. It shares our session and process group,
// ignores every signal that can be ignored, and outlives us if we are killed.
#pragma once

#include <sys/types.h>

#include "base/status.h"
#include "cli/record/channel.h"
#include "cli/record/console_log.h"
#include "cli/record/relay.h"
#include "cli/record/relayed_signals.h"

namespace inquest::record {

class RelayProcess {
 public:
  // The relay takes over the ends of the channels that are read, and the log.
  Status Start(Channels* channels, ConsoleLog* log);
  bool started() const { return pid_ > 0; }

  void Follow(pid_t command);
  // Waits until the output is passed on, or a signal tells us not to; then the
  // relay is killed, and the report says so.
  RelayReport CommandEnded(const Signals& signals);

 private:
  void Order(pid_t command);
  bool AwaitReport(const Signals& signals, RelayReport* report);

  pid_t pid_ = 0;
  UniqueFd control_;
};

}  // namespace inquest::record
