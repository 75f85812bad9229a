// SPDX-License-Identifier: Apache-2.0
// Events that were read to look for a rhythm, kept for judging it and for the
// replay: to read them again would take twenty times as long. A short trace is
// read once. 48 bytes an event. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/memory/replay/memory_event.h"

namespace inquest::memory {

class KeptEvents {
 public:
  // Of the trace whose tables have this prefix.
  KeptEvents(Database* db, std::string prefix)
      : db_(db), prefix_(std::move(prefix)) {}

  using Visit = std::function<void(const MemoryEvent&)>;
  // Visits about `max` of the events after `after` in three parts, from the
  // beginning, the middle and the end; or all if there are no more. Returns
  // whether it visited all.
  Expected<bool> ForSome(int64_t after, int64_t max, const Visit& visit);
  // Visits all events after `after` and returns their number. Keeps none: what
  // was kept is let go.
  Expected<int64_t> ForAll(int64_t after, const Visit& visit);

 private:
  static constexpr size_t kMaxEvents = 240'000;
  static constexpr size_t kMaxSorts = 4096;
  // What many events have in common: op, kind, device, result, context, mapped.
  using Sort = std::tuple<int, int, int, int, uint64_t, uint64_t>;
  struct Kept {
    int64_t id, time;
    uint64_t address;
    int64_t bytes, stack;
    const Sort* sort;
  };
  struct Run {          // events without a gap
    int64_t after = 0;  // the id before the first
    std::deque<Kept> events;
  };

  static MemoryEvent EventOf(const Kept& kept);
  const Sort* SortOf(const MemoryEvent& event);
  void Keep(const MemoryEvent& event, Run* run);
  Run* Find(int64_t after);
  Expected<int64_t> ForEach(int64_t after, int64_t max, const Visit& visit);

  Database* db_;
  std::string prefix_;
  std::set<Sort> sorts_;
  const Sort* recent_[2] = {};  // mostly an allocation's and a free's
  std::vector<Run> runs_;
  size_t kept_ = 0;
};

}  // namespace inquest::memory
