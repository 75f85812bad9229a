// SPDX-License-Identifier: Apache-2.0
// The channels from the command's stdout and stderr to ours: a pseudo-terminal
// if ours is a terminal, else a pipe; one for both if both lead to the same
// place (so that their order is kept), none if ours is closed or a device other
// than a terminal and /dev/null: that one the command writes to itself. Made by
// the recorder before it forks; the relay has the ends that are read, the
// recorder those of terminals that the command has.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "cli/record/fd.h"

namespace inquest::record {

struct Channel {
  UniqueFd source;     // read the command's output here
  UniqueFd child_end;  // the command's stdout or stderr
  int sink = -1;       // our own stdout or stderr
  bool terminal = false;
  bool sink_open = true;  // false: it has no reader any more
};

struct Channels {
  std::vector<Channel> list;
  int out = -1;  // index in `list` for stdout; -1: none
  int err = -1;
  bool devices = false;  // one is a device that the command writes to itself
};

// Call before opening anything: makes sure that descriptors 0 to 2 exist, so
// that none of our files gets these numbers. `was_open[fd]` is set to the state
// before.
void ReserveStandardStreams(bool was_open[3]);

Expected<Channels> OpenChannels(const bool was_open[3]);

// How much can be written to a sink without waiting for its reader.
size_t RoomIn(int sink);

// Gives the pseudo-terminal the size of the real one.
void CopyWindowSize(const Channel& channel);

}  // namespace inquest::record
