// SPDX-License-Identifier: Apache-2.0
// The parts of the generated cuDNN wrappers (generate_cudnn_hooks.py). A
// wrapper has the exact signature of its function, finds the real one at its
// first call, times it and records function, status, duration and handle; for a
// failed call also its scalar arguments and the library's error text. For a
// call that works on tensors it records instead the layer and how it was run
// (cudnn_operations.h, cudnn_backend.h).
//
// A host's call reaches a wrapper through the PLT, because preloaded symbols
// come first, or through our dlsym. cuDNN's calls of its own exported functions
// arrive here too; they are passed on and not recorded. The real function is
// looked up where the caller would have found it: after this library in the
// global scope, in the caller's own dependencies, in a loaded libcudnn.
//
// For each call that computes there are several that only make, fill, read or
// free descriptors. Successful ones are only counted, and the counts are
// recorded a few times a second, so a killed process loses the last ones.
//
// A function that was found is kept, and its library stays loaded. If a process
// has two cuDNNs, only the first is hooked.
#pragma once

#include <atomic>
#include <cstdint>

#include "collector/core/event_clock.h"
#include "collector/cudnn/call_detail.h"
#include "collector/cudnn/cudnn_operations.h"
#include "trace/journal/journal.h"
#include "trace/journal/process_clock.h"
#include "trace/records/records.h"

namespace inquest::collector {

struct CudnnSlot {
  const char* name;
  bool keeps_books;  // only makes, fills, reads or frees a descriptor
  std::atomic<void*> host{nullptr};    // target of the host's calls
  std::atomic<void*> inside{nullptr};  // target of cuDNN's own calls
  std::atomic<void*> caller{nullptr};  // the host's last call address
  // Successful calls that are only counted, since they were last recorded.
  std::atomic<int64_t> calls{0};
  std::atomic<int64_t> total_ns{0};
  std::atomic<int64_t> max_ns{0};
};
// Generated, sorted by name. Constant from the start: hooks are asked for
// before this library's constructors have run.
extern CudnnSlot g_cudnn_slots[];
extern void* const g_cudnn_hooks[];  // by slot: our function of that name
extern const int g_cudnn_slot_count;

// -1 when there is no hook of that name.
int CudnnHookIndex(const char* name);
// For dlsym: true if *address is to be returned. It is the hook, the real
// function if it must not be hooked, or null if there is no cuDNN.
bool AnswerDlsym(int index, void* handle, void* caller, void** address);
// The real function of this name in any loaded cuDNN, or null.
void* RealCudnn(const char* name);

// Background thread only: records what was counted.
void RecordCudnnCounts();
void ForgetCudnnCounts();  // in a forked child

// "CUDNN_STATUS_BAD_PARAM"; empty if no loaded cuDNN knows it.
const char* CudnnStatusName(int status);

class CudnnCall {
 public:
  CudnnCall(int index, void* caller);
  ~CudnnCall();
  CudnnCall(const CudnnCall&) = delete;
  CudnnCall& operator=(const CudnnCall&) = delete;

  template <typename Function>
  Function Real() const {
    return reinterpret_cast<Function>(real_);
  }
  bool missing() const { return real_ == nullptr; }
  // Whether it is the host's own call and there is a session.
  bool recorded() const { return recorded_; }
  // The library's function has returned: the time from here on is ours.
  void Returned() {
    if (recorded_) end_ns_ = NowNs();
  }
  // Notes the workspace size that this query has returned.
  void NoteWorkspace(int result, const CudnnRun& run, const size_t* bytes);
  // True when it failed and Failed is wanted.
  bool Done(int result, const void* handle, const CudnnRun* run = nullptr);
  void Failed(int result, const void* handle, CallDetail* detail,
              const CudnnRun* run = nullptr);

 private:
  trace::CudnnCallRecord Record(int result, const void* handle) const;
  void Count();
  uint64_t ChoiceOf(const CudnnRun& run, int result) const;
  void EmitRun(const trace::CudnnCallRecord& record, const CudnnRun& run,
               trace::Journal::Full full) const;

  CudnnSlot& slot_;
  void* real_;
  bool recorded_;
  int64_t begin_ns_ = 0;
  int64_t end_ns_ = 0;
};

}  // namespace inquest::collector
