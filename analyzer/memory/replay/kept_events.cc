// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/replay/kept_events.h"

#include <algorithm>

#include "base/capped.h"

namespace inquest::memory {

MemoryEvent KeptEvents::EventOf(const Kept& kept) {
  MemoryEvent event;
  event.id = kept.id;
  event.time = kept.time;
  event.address = kept.address;
  event.bytes = kept.bytes;
  event.stack = kept.stack;
  std::tie(event.op, event.kind, event.device, event.result, event.context,
           event.mapped) = *kept.sort;
  return event;
}

const KeptEvents::Sort* KeptEvents::SortOf(const MemoryEvent& event) {
  const Sort sort(event.op, event.kind, event.device, event.result,
                  event.context, event.mapped);
  for (const Sort* recent : recent_) {
    if (recent != nullptr && *recent == sort) return recent;
  }
  recent_[1] = std::exchange(recent_[0], &*sorts_.insert(sort).first);
  return recent_[0];
}

void KeptEvents::Keep(const MemoryEvent& event, Run* run) {
  if (kept_ >= kMaxEvents || sorts_.size() >= kMaxSorts) return;
  ++kept_;
  run->events.push_back({event.id, event.time, event.address, event.bytes,
                         event.stack, SortOf(event)});
}

// The run that has the first event after that one.
KeptEvents::Run* KeptEvents::Find(int64_t after) {
  for (Run& run : runs_) {
    if (run.events.empty() || after < run.after) continue;
    if (after < run.events.back().id) return &run;
  }
  return nullptr;
}

// Kept ones first, then from the trace; these are kept while there is room.
Expected<int64_t> KeptEvents::ForEach(int64_t after, int64_t max,
                                      const Visit& visit) {
  int64_t count = 0;
  while (const Run* run = count < max ? Find(after) : nullptr) {
    auto at = std::upper_bound(
        run->events.begin(), run->events.end(), after,
        [](int64_t id, const Kept& kept) { return id < kept.id; });
    for (; at != run->events.end() && count < max; ++at, ++count) {
      visit(EventOf(*at));
      after = at->id;
    }
  }
  if (count >= max) return count;
  Run run{after, {}};
  const auto read = ForEachEvent(
      db_, prefix_, after,
      [&](const MemoryEvent& event) {
        Keep(event, &run);
        visit(event);
      },
      max - count);
  RETURN_IF_ERROR(read.status());
  if (!run.events.empty()) runs_.push_back(std::move(run));
  return count + *read;
}

Expected<bool> KeptEvents::ForSome(int64_t after, int64_t max,
                                   const Visit& visit) {
  const int64_t part = std::max<int64_t>(max / 3, 1);
  ASSIGN_OR_RETURN(const int64_t last_id,
                   db_->QueryInt("SELECT ifnull(max(id), 0) FROM " + prefix_ +
                                 "memory_event"));
  // Ids have gaps, but evenly spread ones: about the last part and the middle.
  const int64_t late = SubtractCapped(last_id, part);
  const int64_t between = SubtractCapped(late, AddCapped(after, part));
  const int64_t middle = after + between / 2;
  int64_t last = after;
  bool all = true;
  for (int64_t begin : {after, middle, late}) {
    if (begin > last) all = false;
    begin = std::max(begin, last);
    const auto note = [&](const MemoryEvent& event) {
      last = event.id;
      visit(event);
    };
    RETURN_IF_ERROR(ForEach(begin, part, note).status());
  }
  return all;
}

Expected<int64_t> KeptEvents::ForAll(int64_t after, const Visit& visit) {
  int64_t count = 0;
  while (Run* found = Find(after)) {
    Run run = std::exchange(*found, {});
    for (; !run.events.empty(); run.events.pop_front()) {
      if (run.events.front().id <= after) continue;
      after = run.events.front().id;
      visit(EventOf(run.events.front()));
      ++count;
    }
  }
  runs_.clear();
  ASSIGN_OR_RETURN(const int64_t read,
                   ForEachEvent(db_, prefix_, after, visit));
  return count + read;
}

}  // namespace inquest::memory
