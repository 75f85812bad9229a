// SPDX-License-Identifier: Apache-2.0
// Compares where the processes of a job stand: who waits in a collective, who
// stands elsewhere and holds the others up, whether all stand alike. A process
// that was dumped twice in the same place counts once, and stands still for
// sure. Idle servers, launchers and workers without a task are not evidence.
// Pure; O(frames).
#pragma once

#include <string>
#include <vector>

#include "analyzer/hangs/stacks/process_state.h"

namespace inquest::hangs {

enum class HangKind : uint8_t {
  kOutlier,   // holds up others, which wait in collectives
  kAlike,     // all wait in the same collective at the same line
  kApart,     // they wait in different collectives
  kWaiting,   // one process, which waits in a collective
  kPeer,      // waits for a message of one other rank
  kEngine,    // waits for a worker
  kLockstep,  // nobody waits in a collective, but most stand at the same line
  kStanding,  // one process inside a call that had not returned
  kTimedOut,  // a time limit ran out over the process, which stood there
  kNetwork,   // NCCL's progress thread has work that does not end
  kHidden,    // only NCCL's own threads are shown
  kAborted,   // brought down by NCCL's watchdog
  kNativeAbort,  // a thread without Python called abort()
  kIdle,         // nobody has work
};

struct StackGroup {  // processes that stand alike
  ProcessState state;
  std::vector<size_t> members;  // indexes of StackDumps::processes
};

struct StackHang {
  HangKind kind = HangKind::kIdle;
  StackGroup who;                  // stuck, or waiting where nobody else is
  std::vector<StackGroup> others;  // that wait, most frequent first
  bool repeated = false;           // dumped twice in the same place
  bool went_on = false;
};

struct StackComparison {
  std::vector<ProcessState> states;  // of each process
  std::vector<bool> counted;         // not a repetition of a later dump
  std::vector<StackHang> hangs;      // the best first
};

StackComparison Compare(const StackDumps& dumps);

const char* NameOf(HangKind kind);

}  // namespace inquest::hangs
