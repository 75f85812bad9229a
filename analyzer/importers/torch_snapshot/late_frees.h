// SPDX-License-Identifier: Apache-2.0
// Frees that PyTorch's allocator could not complete at once: the block had been
// used on another stream (record_stream), or a CUDA graph was being captured.
// In a history `free_completed` follows `free_requested` directly, as both are
// recorded under one lock, except for such a free
// (c10/cuda/CUDACachingAllocator.cpp: free, process_events). Takes the entries
// of all devices in time order and writes the table late_free. One thread;
// memory is that of the waiting blocks, at most kMaxWaiting per device.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyzer/importers/common/event_spool.h"
#include "analyzer/importers/common/trace_file.h"

namespace inquest::importers {

class LateFrees {
 public:
  static constexpr size_t kMaxWaiting = 1 << 20;
  explicit LateFrees(TraceFile* file) : file_(file) {}

  // Called for each entry of this device's history, before the functions below.
  void Next(int64_t device);
  // `after` is the preceding memory_event, `free` that of the free.
  void Request(int64_t device, const PoolEvent& event, int64_t time_ns,
               int64_t after);
  void Complete(int64_t device, uint64_t address, int64_t time_ns,
                int64_t free);
  // Writes the frees that are still waiting at the end.
  void Finish();

 private:
  struct Waiting {
    int64_t entry = 0;
    int64_t time_ns = 0;
    int64_t after = 0;
    int64_t bytes = 0;
    uint32_t stack = 0;
  };
  struct Device {
    int64_t entries = 0;
    // The last request is kept separately, because the next entry completes
    // most.
    bool has_last = false;
    uint64_t last_address = 0;
    Waiting last;
    std::unordered_map<uint64_t, Waiting> waiting;  // by address
  };

  Device& At(int64_t device);
  void Write(int64_t device, uint64_t address, const Waiting& one,
             std::optional<int64_t> completed_ns, std::optional<int64_t> free);

  TraceFile* file_;
  std::vector<Device> devices_;
  int64_t id_ = 0;
};

}  // namespace inquest::importers
