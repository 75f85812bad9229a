// SPDX-License-Identifier: Apache-2.0
// Makes the rows of framework_block and framework_memory (schema.sql): the
// blocks of an allocator inside a framework, and its sums over time.
//
// A training loop makes and frees thousands of tensors a second for weeks. The
// live ones and the last ones freed explain a failure, so a block is kept while
// it is live and for kFreedKept further frees; the sums go into intervals that
// widen as their number grows. So the live blocks bound memory and file size.
//
// Used by TraceWriter: it adds records, stores what has changed with each batch
// and, after a crash or a failed batch, resumes from what is stored. One
// thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/records/records.h"

namespace inquest::trace {

struct FrameworkBlock {
  int64_t id = 0;  // the ticket of its allocation
  FrameworkMemoryRecord made;
  int64_t freed_ns = kNoNumber;
};

// Sums are kNoNumber if the framework does not report them.
struct FrameworkInterval {
  int64_t id = 0;  // in the order of beginning, from 1
  int64_t device = 0;
  int64_t first_ns = 0, last_ns = 0;
  int64_t allocations = 0, frees = 0;
  int64_t allocated_bytes = kNoNumber, reserved_bytes = kNoNumber;
  int64_t peak_allocated_bytes = kNoNumber, peak_reserved_bytes = kNoNumber;
};

class FrameworkMemory {
 public:
  static constexpr size_t kFreedKept = 10'000;
  static constexpr int64_t kIntervalNs = 1'000'000'000;
  static constexpr int64_t kIntervalsOfAWidth = 10'000;

  // An allocation or a free. Without `keep` an allocation only changes the
  // sums.
  void Add(int64_t ticket, const FrameworkMemoryRecord& record, bool keep);

  // Since the last time; rows to be written, then rows to be removed.
  struct Changes {
    std::vector<FrameworkBlock> blocks;
    std::vector<int64_t> dropped;
    std::vector<FrameworkInterval> intervals;
  };
  Changes TakeChanges();

  // Forgets everything; then give it what is stored: blocks in the order in
  // which they were freed, and of each device the last interval and how many
  // there are.
  void Reset();
  void Resume(const FrameworkBlock& block);
  void Resume(const FrameworkInterval& last, int64_t count);

 private:
  struct Place {
    int64_t device;
    uint64_t address;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    size_t operator()(const Place& place) const;
  };
  struct Device {
    FrameworkInterval open;
    int64_t count = 0;
    bool changed = false;
  };

  void Make(int64_t ticket, const FrameworkMemoryRecord& record);
  void Free(const Place& place, int64_t time_ns);
  void Sum(const FrameworkMemoryRecord& record);

  std::unordered_map<Place, FrameworkBlock, PlaceHash> live_;
  std::deque<int64_t> freed_;  // ids, the first freed first
  std::map<int64_t, FrameworkBlock> changed_;
  std::vector<int64_t> dropped_;
  std::map<int64_t, Device> devices_;
  std::vector<FrameworkInterval> closed_;  // changed, and followed by another
  int64_t last_interval_ = 0;
};

}  // namespace inquest::trace
