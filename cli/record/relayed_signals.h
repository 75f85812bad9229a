// SPDX-License-Identifier: Apache-2.0
// Handles signals while a command runs under us. The command shares our process
// group, so signals from the terminal (Ctrl-C, Ctrl-\, Ctrl-Z) reach it
// directly; we only have to outlive it. A signal from another process is meant
// for the command and is passed on, from the handler itself, so that it arrives
// even while we wait for a slow reader; but not if Slurm sent it, which signals
// the command as well. Whoever else signals both of us (kill(-group)) makes the
// command see it twice: a sender does not say whom else it signals.
//
// A signal that was ignored when we started (nohup, a background job of a
// script) stays ignored, for us and for the command. One object at a time.
#pragma once

#include <sys/types.h>

#include <csignal>

#include "base/status.h"
#include "cli/record/fd.h"

namespace inquest::record {

class Signals {
 public:
  // From now on errors of our own writes raise no signals: neither a pipe
  // without a reader nor a limit on the size of files (ulimit -f) may end us.
  Signals();
  ~Signals();  // restores the old handlers, except these two
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Installs the handlers and holds all signals back until Follow.
  Status Install();
  // In the parent: `child` is the command from now on. 0: it has ended; a
  // signal then sets interrupted().
  void Follow(pid_t child);
  // In the child, before exec: everything as it was before Install.
  void RestoreInChild() const;

  // Readable when something happened: a child's change, a new window size.
  int wake_fd() const { return wake_read_.get(); }
  bool Drain() const;  // true if there was something
  bool TakeResized() const;
  // A signal asked us to stop waiting for the end of the output.
  bool interrupted() const;
  // The command was stopped from the keyboard: stop too, so that the shell
  // takes the terminal back; returns when we are continued.
  void StopLikeChild(int signal) const;

 private:
  void RestoreHandlers() const;

  UniqueFd wake_read_;
  UniqueFd wake_write_;
  sigset_t old_mask_;
  bool installed_ = false;
};

}  // namespace inquest::record
