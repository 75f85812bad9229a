// SPDX-License-Identifier: Apache-2.0
// Passes on the command's output until it has ended, and keeps a copy in
// console.log: first the copy, then the original place, so that all output that
// a user has seen is in the log. Blocks if the reader of our stdout blocks, as
// the command itself would; then the command waits for us. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "cli/record/channel.h"
#include "cli/record/console_log.h"
#include "cli/record/relayed_signals.h"

namespace inquest::record {

struct CommandEnd {
  int wait_status = 0;     // as of waitpid
  bool left_open = false;  // a process that outlived it holds a stream open
};

class Relay {
 public:
  Relay(Channels* channels, ConsoleLog* log, Signals* signals)
      : channels_(channels), log_(log), signals_(signals) {}

  // Returns when the command has ended and its output is passed on. Waits only
  // briefly for output of processes that outlive it.
  CommandEnd Run(pid_t command);

  // If Run returned `left_open`: starts a process that continues to write only
  // to console.log, so that those processes are not killed by a closed pipe and
  // their output is kept. It holds none of our caller's files open and ends
  // with them, or after 16 MiB in total.
  void KeepLoggingInBackground();

 private:
  // Waits up to `timeout_ms` (-1: for ever) and passes on the output. True if a
  // stream had bytes or ended.
  bool Step(int timeout_ms);
  bool ReadOnce(Channel* channel);
  void PassOn(Channel* channel, const char* bytes, size_t size);
  void HandleSignals();
  bool TakeEnd();
  void CloseChildEnds();
  void CloseSources();
  bool AnyOpen() const;
  void DrainAfterEnd();

  Channels* channels_;
  ConsoleLog* log_;
  Signals* signals_;
  pid_t command_ = 0;
  bool ended_ = false;
  int wait_status_ = 0;
  uint64_t late_bytes_ = 0;  // read after the command's end
};

}  // namespace inquest::record
