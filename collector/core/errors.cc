// SPDX-License-Identifier: Apache-2.0
#include "collector/core/errors.h"

#include "base/secrets/secrets.h"
#include "collector/core/drain.h"
#include "collector/core/emit.h"
#include "collector/core/thread_state.h"
#include "collector/cuda/devices.h"
#include "collector/stacks/stacks.h"

namespace inquest::collector {
namespace {

constexpr uint32_t kStoredOfAKind = 50;

bool IsSame(const ErrorRun& run, const ApiFailure& failure) {
  return run.function == failure.function && run.result == failure.result;
}

// The run that this failure belongs to; a new run replaces the one with the
// fewest records, except the last one written.
int FindRun(const ThreadState& thread, const ApiFailure& failure) {
  int least = -1;
  for (int i = 0; i < ThreadState::kErrorRuns; ++i) {
    if (IsSame(thread.runs[i], failure)) return i;
    if (i == thread.last_run) continue;
    if (least < 0 || thread.runs[i].stored < thread.runs[least].stored) {
      least = i;
    }
  }
  return least;
}

uint64_t Store(const ApiFailure& failure) {
  trace::ApiErrorRecord record;
  record.time_ns = MonotonicNs();
  record.result = failure.result;
  record.thread = ThreadId();
  record.stack = CaptureStack();
  record.device = static_cast<int16_t>(failure.device);
  record.sticky = failure.sticky;
  record.api = failure.api;
  record.function = failure.function;
  record.name = failure.name;
  const auto masked = FindAndMaskSecrets(failure.text);
  record.text = masked ? std::string_view(*masked) : failure.text;
  return Emit(record, Journal::Full::kKeep);
}

enum class Due { kNext, kAll };

void EmitRepeats(ErrorRun& run, Due due) {
  const uint32_t count =
      due == Due::kNext ? run.repeats.Next() : run.repeats.Take();
  if (count == 0 || run.first == Journal::kDropped) return;
  Emit(trace::ApiErrorRepeatRecord{run.first, count});
}

}  // namespace

void NoteApiError(const ApiFailure& failure) {
  ThreadState* thread = GetThreadState();
  if (thread == nullptr || Current() == nullptr) return;
  const int at = FindRun(*thread, failure);
  ErrorRun& run = thread->runs[at];
  const bool same = IsSame(run, failure);
  const bool in_a_row = same && at == thread->last_run;
  if (!in_a_row && thread->last_run >= 0) {
    EmitRepeats(thread->runs[thread->last_run], Due::kAll);
  }
  thread->last_run = at;
  if (in_a_row || (same && run.stored >= kStoredOfAKind)) {
    return EmitRepeats(run, Due::kNext);
  }
  if (!same) run = {failure.function, failure.result, 0, 0, {}};
  run.first = Store(failure);
  ++run.stored;
  RequestFailureSample();
}

}  // namespace inquest::collector
