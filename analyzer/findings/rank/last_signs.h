// SPDX-License-Identifier: Apache-2.0
// How far a run came, where no line says how it ended: the last milestone (a
// server is up, a model is loaded), the last epoch of how many, a shell's word
// that the command has ended, and what kind of evidence there is at all. Called
// by ending_verdict.cc; concludes nothing about a cause.
#pragma once

#include <string>

#include "analyzer/facts/store/store.h"

namespace inquest::findings {

struct LastSigns {
  std::string milestone;     // in words, with its place; empty: none
  std::string ended;         // the same, of a command that has ended
  std::string warned;        // the same, of something that may have ended it
  std::string epoch;         // "the last epoch that the log names is …"
  bool refused = false;      // GPU memory, in the last lines of a log
  bool no_log = false;       // only traces or files of other tools
  bool kernel_only = false;  // all logs are the kernel's
  bool stacks_only = false;  // stacks of processes that lived, and nothing else
  // Where ranks stood when their flight recorders were dumped, in words; empty:
  // there are logs, or no dumps.
  std::string flights;
};

LastSigns FindLastSigns(facts::Store* store);

}  // namespace inquest::findings
