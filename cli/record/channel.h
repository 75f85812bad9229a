// SPDX-License-Identifier: Apache-2.0
// The ways from the command's stdout and stderr to ours: a pseudo-terminal
// where ours is a terminal, a pipe elsewhere, one for both where both lead to
// the same place (so that their order is kept), none where ours is closed.
// Made by the runner before it forks; the relay reads them.
#pragma once

#include <vector>

#include "base/status.h"
#include "cli/record/fd.h"

namespace inquest::record {

struct Channel {
  UniqueFd source;     // what the command wrote comes out here
  UniqueFd child_end;  // what the command gets as its stdout or stderr
  int sink = -1;       // our own stdout or stderr
  bool terminal = false;
  bool sink_open = true;  // false: nobody reads it any more
};

struct Channels {
  std::vector<Channel> list;
  int out = -1;  // index in `list` for stdout; -1: closed
  int err = -1;
};

// Before anything is opened: makes sure that descriptors 0 to 2 exist, so that
// no file of ours gets one of those numbers. `was_open[fd]` tells the truth.
void ReserveStandardStreams(bool was_open[3]);

Expected<Channels> OpenChannels(const bool was_open[3]);

// Gives the pseudo-terminal the size of the real one.
void CopyWindowSize(const Channel& channel);

}  // namespace inquest::record
