// SPDX-License-Identifier: Apache-2.0
// Writes the trace of one process of an Nsight Systems export. Takes the rows
// of the export's tables, in time order within each table, and writes them the
// way the collector would have. For nsys_events.cc. One thread; memory is that
// of the stacks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/importers/common/call_stacks.h"
#include "analyzer/importers/common/trace_file.h"
#include "analyzer/importers/nsys/nsys_head.h"

namespace inquest::importers {

struct NsysMemory {  // a row of CUDA_GPU_MEMORY_USAGE_EVENTS
  int64_t time = 0;
  bool frees = false;
  int64_t device = 0, context = 0, stream = 0, pool = 0;
  int64_t address = 0, bytes = 0;
  int64_t kind = 0;  // CUDA_MEMOPR_MEMORY_KIND
  int64_t thread = 0;
  uint32_t stack = 0;
};

struct NsysCall {  // a call of the runtime or driver that failed
  int64_t begin = 0, end = 0;
  int64_t thread = 0;
  std::string function;  // as in the export: cudaMalloc_v3020
  int64_t result = 0;
  uint32_t stack = 0;
};

struct NsysRange {
  int64_t begin = 0;
  std::optional<int64_t> end;
  int64_t thread = 0;
  std::string_view name;
  bool pushed = false;  // may be the outermost of its thread
  bool mark = false;
  bool library = false;  // in a domain other than the default one
};

class NsysTrace {
 public:
  NsysTrace(const NsysHead& head, const NsysProcess& process, TraceFile file);

  void Add(const NsysMemory& event);
  void Add(const NsysCall& call);
  void Add(const NsysRange& range);
  void AddLibraryCalls(std::string_view function, int64_t calls,
                       int64_t total_ns, int64_t max_ns);
  void AddMessage(int64_t time, std::string_view severity,
                  std::string_view text);
  void Cover(std::string_view source, std::string_view state,
             std::string_view note);
  Status Finish();

  CallStacks& stacks() { return stacks_; }
  int64_t memory_events() const { return memory_events_; }

 private:
  int64_t Time(int64_t time);
  void Refuse(const NsysCall& call);
  void NoteExit(int64_t time, std::string_view text);
  void WriteDevice(int64_t ordinal, const NsysGpu& gpu);
  void WriteDevices();
  TraceProcess Process() const;

  const NsysHead& head_;
  const NsysProcess& process_;
  TraceFile file_;
  CallStacks stacks_;
  int64_t id_ = 0;  // of memory events
  int64_t errors_ = 0, harmless_ = 0, messages_ = 0, exits_ = 0;
  int64_t memory_events_ = 0;
  std::map<int64_t, int64_t> outermost_;  // thread: end of the open range
  std::map<int64_t, int64_t> refused_;    // thread: end of the call
  int64_t steps_in_second_ = 0, second_ = 0, lost_steps_ = 0;
  int64_t first_ns_ = INT64_MAX, last_ns_ = 0;
  Status failure_;
};

}  // namespace inquest::importers
