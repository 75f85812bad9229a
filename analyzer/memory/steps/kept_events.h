// SPDX-License-Identifier: Apache-2.0
// Events that were read to look for a rhythm, kept for judging it: to read them
// again would take twenty times as long. For steps.h. Of each only what a
// rhythm rests on, 48 bytes. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/memory/replay/memory_event.h"

namespace inquest::memory {

class KeptEvents {
 public:
  // Reads and keeps `max` events behind `after` at most.
  KeptEvents(Database* db, std::string prefix)
      : db_(db), prefix_(std::move(prefix)) {}

  using Visit = std::function<void(const MemoryEvent&)>;
  // Visits about `max` of the events after `after` in three parts, from the
  // beginning, the middle and the end; or all if there are no more. Returns
  // whether it visited all. An event that was kept lacks its time, context and
  // mapping.
  Expected<bool> ForSome(int64_t after, int64_t max, const Visit& visit);

 private:
  static constexpr size_t kMaxEvents = 240'000;
  struct Kept {
    int64_t id = 0;
    uint64_t address = 0;
    int64_t bytes = 0;
    int64_t stack = 0;
    int op = 0, kind = 0, device = 0, result = 0;
  };
  struct Run {          // events without a gap
    int64_t after = 0;  // the id before the first
    std::deque<Kept> events;
  };

  static MemoryEvent EventOf(const Kept& kept);
  void Keep(const MemoryEvent& event, Run* run);
  const Run* Find(int64_t after) const;
  Expected<int64_t> ForEach(int64_t after, int64_t max, const Visit& visit);

  Database* db_;
  std::string prefix_;
  std::vector<Run> runs_;
  size_t kept_ = 0;
};

}  // namespace inquest::memory
