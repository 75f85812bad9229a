// SPDX-License-Identifier: Apache-2.0
// Writes what a framework's allocator did as rows of a trace: each of its
// blocks as a memory event, and the tables that the collector fills for it
// (framework_block, framework_memory, framework_oom), so that the rules for
// these apply. For importers whose files have blocks but not their segments.
// One thread; memory is that of the live blocks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "analyzer/importers/common/sized_blocks.h"
#include "analyzer/importers/common/trace_file.h"
#include "trace/store/framework_memory.h"

namespace inquest::importers {

struct FrameworkCall {  // in the order of time
  int64_t time_ns = 0;
  int64_t device = -1;  // -1: host memory
  int64_t bytes = 0;    // at least 0
  std::optional<int64_t> address;
  std::optional<int64_t> allocated, reserved;  // after it
  int64_t thread = 0;
  uint32_t stack = 0;
  int64_t tag = 0;  // see SizedBlocks
};

class FrameworkRows {
 public:
  explicit FrameworkRows(TraceFile* file) : file_(file) {}

  Status Allocate(const FrameworkCall& call);
  Status Free(const FrameworkCall& call);
  Status Refuse(const FrameworkCall& call);
  // Writes what was live before the first call, which was at `first_ns`. Call
  // last.
  void Finish(int64_t first_ns);

  struct Device {
    SizedBlocks blocks;
    int64_t allocations = 0, frees = 0, refused = 0;
    // Bytes live before the first call by the allocator's sum, in no known
    // block.
    int64_t unnamed_before = 0;
    bool has_sums = false;
    int64_t sum_before = 0;  // live before, by the first reported sum
  };
  std::map<int64_t, Device>& devices() { return devices_; }

 private:
  Status AddEvent(const FrameworkCall& call, trace::MemoryOp op,
                  uint64_t address, int64_t result);
  void Keep(const FrameworkCall& call, trace::FrameworkOp op, uint64_t address);
  void TakeSum(const FrameworkCall& call, int64_t change);
  void WriteChanges();
  void WriteBlock(const trace::FrameworkBlock& block);
  void WriteInterval(const trace::FrameworkInterval& interval);
  void WriteBefore(int64_t ordinal, const Device& device, int64_t first_ns);

  TraceFile* file_;
  trace::FrameworkMemory memory_;
  std::map<int64_t, Device> devices_;
  int64_t id_ = kCheckpointEvent;
  int64_t unwritten_ = 0;
  int64_t sites_ = 0;
};

}  // namespace inquest::importers
