// SPDX-License-Identifier: Apache-2.0
#include "cli/record/command_wait.h"

#include <poll.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

namespace inquest::record {
namespace {

// Forgets the pid before the process is reaped, so that no signal reaches
// another process with the same pid.
bool TakeEnd(pid_t command, Signals* signals, int* status) {
  siginfo_t info = {};
  if (waitid(P_PID, static_cast<id_t>(command), &info,
             WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != command) {
    return false;
  }
  signals->Follow(0);
  while (waitpid(command, status, 0) < 0 && errno == EINTR) {
  }
  return true;
}

void StopWith(pid_t command, const Signals& signals) {
  siginfo_t info = {};
  if (waitid(P_PID, static_cast<id_t>(command), &info, WSTOPPED | WNOHANG) ==
          0 &&
      info.si_pid == command &&
      (info.si_status == SIGTSTP || info.si_status == SIGTTIN)) {
    signals.StopLikeChild(info.si_status);
  }
}

}  // namespace

int AwaitCommand(pid_t command, const Channels& channels, Signals* signals) {
  int status = 0;
  while (true) {
    signals->Drain();
    if (signals->TakeResized()) {
      for (const Channel& channel : channels.list) CopyWindowSize(channel);
      // The terminal signalled the command before the size was right.
      kill(command, SIGWINCH);
    }
    if (TakeEnd(command, signals, &status)) return status;
    StopWith(command, *signals);
    struct pollfd wake = {signals->wake_fd(), POLLIN, 0};
    poll(&wake, 1, -1);
  }
}

}  // namespace inquest::record
