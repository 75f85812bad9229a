// SPDX-License-Identifier: Apache-2.0
// What the collector knows about the calling thread. The two words that every
// hook reads are in static TLS; the rest is allocated when first needed and
// freed when the thread ends.
#pragma once

#include <cstdint>

#include "collector/core/repeats.h"
#include "collector/core/session.h"
#include "collector/stacks/fast_unwind.h"

namespace inquest::collector {

struct ErrorRun {  // see errors.h
  const char* function = nullptr;
  int64_t result = 0;
  uint64_t first = 0;  // ticket of the stored one
  uint32_t stored = 0;
  Repeats repeats;
};

struct ThreadState {
  static constexpr int kErrorRuns = 8;
  static constexpr int kRanges = 32;
  static constexpr int kRangeName = 64;
  uint32_t generation = 0;
  uint32_t tid = 0;
  bool is_first = false;  // of the process: the one that main() runs in
  // CUDA calls in progress in this thread.
  bool in_runtime = false;
  const char* nested_function = nullptr;  // driver call that failed inside it
  int64_t nested_result = 0;
  Refusals refusals;
  ErrorRun runs[kErrorRuns];
  int last_run = -1;
  // cuDNN's text about the last failure, until the host asks for it.
  char cudnn_text[1024] = "";
  // NVTX ranges pushed by this thread: tickets, 0 if none was recorded.
  int range_depth = 0;
  uint64_t ranges[kRanges] = {};
  char range_names[kRanges][kRangeName] = {};  // cut, for failed calls
  StackBounds stack;                           // empty: not read yet
};

namespace internal {
extern constinit thread_local int t_inside;
extern constinit thread_local ThreadState* t_state;
ThreadState* MakeThreadState(uint32_t generation);
}  // namespace internal

// Null only when there is no memory.
inline ThreadState* GetThreadState() {
  const Session* session = Current();
  const uint32_t generation = session == nullptr ? 0 : session->generation;
  ThreadState* state = internal::t_state;
  return state != nullptr && state->generation == generation
             ? state
             : internal::MakeThreadState(generation);
}
uint32_t ThreadId();

// True while the collector itself runs in this thread: its calls are not the
// host's and are not recorded.
inline bool Inside() {
  return internal::t_inside > 0;
}
class InsideScope {
 public:
  InsideScope() { ++internal::t_inside; }
  ~InsideScope() { --internal::t_inside; }
  InsideScope(const InsideScope&) = delete;
  InsideScope& operator=(const InsideScope&) = delete;
};

}  // namespace inquest::collector
