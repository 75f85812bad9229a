// SPDX-License-Identifier: Apache-2.0
// Passes on what the command writes until it has ended, and keeps a copy in
// console.log: first the copy, then the original place, so that what a user
// has seen is in the log. Blocks where the reader of our stdout blocks, as the
// command itself would; then the command waits for us. One thread.
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

  // Returns when the command has ended and its output is passed on. Output of
  // processes that it left behind is waited for only briefly.
  CommandEnd Run(pid_t command);

  // After Run told `left_open`: leaves a process behind that goes on writing
  // to console.log alone, so that those processes are not killed by a closed
  // pipe, and so that their last words are kept. It holds nothing of our
  // caller's open and ends with them, or when they wrote 16 MiB in all.
  void LeaveBehind();

 private:
  // Waits up to `timeout_ms` (-1: for ever) and passes on what came. True where
  // a stream had something: bytes, or its end.
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
