// SPDX-License-Identifier: Apache-2.0
// Passes on the command's output, and keeps a copy in console.log: first the
// copy, then the original place, so that the output that a user has seen is in
// the log (but for a line that has not ended). If the reader of our stdout or
// stderr pauses, that stream waits, as it would without us, and the other one
// goes on.
//
// Runs in a process of its own (relay_process.h) that has nothing else to do
// and ignores all signals, so that the command's output does not depend on the
// life of the recorder: it goes on until the command's streams are closed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/record/channel.h"
#include "cli/record/console_lines.h"
#include "cli/record/console_log.h"
#include "cli/record/fd.h"

namespace inquest::record {

// From the recorder to the relay.
struct RelayOrder {
  pid_t command = 0;  // it is this process; 0: it has ended
};

// From the relay to the recorder, once, after the command's end.
struct RelayReport {
  uint64_t bytes = 0;      // kept in console.log
  uint64_t left_out = 0;   // bytes
  bool left_open = false;  // a process that outlived it holds a stream open
  char error[256] = "";    // why console.log is not complete
};

class Relay {
 public:
  Relay(Channels* channels, ConsoleLog* log, UniqueFd control);

  // Until the streams have ended. After the command's end waits only briefly
  // for processes that outlive it, then reports and keeps their output, up to
  // 16 MiB, in console.log alone, so that they are not killed by a closed pipe;
  // none of our caller's files is held open by then.
  void Run();

 private:
  // Waits up to `timeout_ms` (-1: for ever) and passes on the output. True if a
  // stream had bytes or ended.
  bool Step(int timeout_ms);
  int Timeout() const;
  bool ReadOnce(size_t index);
  void PassOn(size_t index);
  void LoseSink(size_t index, int error);
  void SignalTooLarge(int source);
  void Keep(bool written);
  void ReadOrders();
  void FinishLog();
  void Report();
  bool AnyOpen() const;
  bool AnyWaits() const;
  bool AnyLeft() const;

  using Clock = std::chrono::steady_clock;

  Channels* channels_;
  ConsoleLog* log_;
  std::vector<ConsoleLines> lines_;  // of each channel
  std::vector<std::string> left_;    // of each: read and not passed on yet
  UniqueFd control_;
  pid_t command_ = 0;
  bool ended_ = false;  // the command
  Clock::time_point limit_;
  uint64_t late_bytes_ = 0;  // read after the command's end
};

}  // namespace inquest::record
