// SPDX-License-Identifier: Apache-2.0
// Keeps the entries of an allocator's history between the two passes of an
// import, in a temporary file that the system removes: a history can have
// millions of entries. Written once, front to back, then read in ranges,
// several at a time. One thread.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "base/status.h"

namespace inquest::importers {

// An entry's action, as PyTorch names it (torch/csrc/cuda/memory_snapshot.cpp,
// TraceEntry::Action); in older files `free` means both halves of a free.
enum class PoolAction : uint8_t {
  kAlloc,
  kFree,
  kFreeRequested,
  kFreeCompleted,
  kSegmentAlloc,
  kSegmentFree,
  kSegmentMap,
  kSegmentUnmap,
  kSnapshot,
  kOutOfMemory,
  kUnknown,  // an action of a later PyTorch
};
inline constexpr size_t kPoolActions = 11;

struct PoolEvent {
  uint64_t address = 0;  // of an oom: free bytes of the device
  int64_t bytes = 0;     // as requested
  int64_t time_us = 0;   // since 1970; 0 if the file has no times
  uint64_t stream = 0;
  uint32_t stack = 0;  // TorchSnapshot::stacks, 0 none
  uint16_t pool = 0;   // TorchSnapshot::pools, 0 the common one
  PoolAction action = PoolAction::kUnknown;
};

class EventSpool {
 public:
  Status Append(const PoolEvent& event);
  uint64_t size() const { return size_; }

  // Reads entries [from, to) one by one.
  class Reader {
   public:
    Reader(EventSpool* spool, uint64_t from, uint64_t to)
        : spool_(spool), next_(from), to_(to) {}
    // Valid until the next call; nullptr at the end or if reading failed.
    const PoolEvent* Next();

   private:
    EventSpool* spool_;
    uint64_t next_;
    uint64_t to_;
    std::vector<PoolEvent> buffer_;
    size_t at_ = 0;
  };

 private:
  struct Closer {
    void operator()(FILE* file) const { std::fclose(file); }
  };
  Status Flush();

  std::unique_ptr<FILE, Closer> file_;
  std::vector<PoolEvent> tail_;  // not written yet
  uint64_t size_ = 0;
};

}  // namespace inquest::importers
