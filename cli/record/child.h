// SPDX-License-Identifier: Apache-2.0
// Starts the command: its environment, its streams, its signals. Everything
// that can fail or allocate is done before the fork; between fork and exec only
// system calls are made.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/record/channel.h"
#include "cli/record/relayed_signals.h"

namespace inquest::record {

struct Launch {
  std::string path;                  // of the program
  std::vector<std::string> command;  // its argv
  std::vector<std::string> environment;
  const bool* was_open = nullptr;  // see ReserveStandardStreams
  rlimit files{};                  // our caller's limit of open files
};

// We need more files than a command may be allowed to have: raises our own
// limit as far as permitted, and returns what it was.
rlimit RaiseFileLimit();

struct Started {
  pid_t pid = 0;
  int exec_error = 0;  // errno of the exec; the process has gone already
};

// `directory` and `collector` may be empty; then the command gets no collector.
std::vector<std::string> ChildEnvironment(const std::string& directory,
                                          const std::string& collector);

// The command outlives us if we are killed, as its output does (relay.h).
// `relay` is called when the command's process exists (it is our first child)
// and before it runs: starts what will read the channels; false: nothing will,
// so that the command keeps our own streams.
Expected<Started> Start(const Launch& launch, const Channels& channels,
                        const Signals& signals,
                        const std::function<bool()>& relay);

// Without a second process: becomes the command. Returns the errno of the exec.
int BecomeCommand(const Launch& launch, const Signals& signals);

}  // namespace inquest::record
