// SPDX-License-Identifier: Apache-2.0
// What a rhythm is made of: the events of allocations, how often each occurs
// and at which distances. See rhythm.h.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "analyzer/memory/steps/event_counts.h"
#include "analyzer/memory/steps/rhythm.h"
#include "base/capped.h"
#include "trace/records/event.h"

namespace inquest::memory {
namespace {

// Four classes per power of two: lengths in one differ by less than a quarter.
int LengthClass(int64_t length) {
  const auto value = static_cast<uint64_t>(length);
  const int octave = std::bit_width(value) - 1;
  const uint64_t quarter = (value << 2 >> octave) & 3;
  return octave * 4 + static_cast<int>(quarter);
}

// A key for a value, different for each kind.
uint64_t Mix(uint64_t value, uint64_t kind) {
  value = (value + kind) * 0x9e3779b97f4a7c15u;
  value = (value ^ value >> 29) & ~uint64_t{7};
  return value | (kind + 1);
}

// Blocks of a framework share addresses with the device blocks they are in.
uint64_t BlockKey(const MemoryEvent& event) {
  const bool framework =
      event.kind == static_cast<int>(trace::MemoryKind::kFramework);
  return event.address << 1 | (framework ? 1 : 0);
}

}  // namespace

bool RhythmEvents::IsAllocation(const MemoryEvent& event) {
  return event.op == static_cast<int>(trace::MemoryOp::kAlloc) &&
         event.result == 0;
}

uint64_t RhythmEvents::PlaceOf(const MemoryEvent& allocation) {
  const auto bytes = static_cast<uint64_t>(allocation.bytes);
  const auto stack = static_cast<uint64_t>(allocation.stack);
  const uint64_t where =
      stack != 0 ? stack << 1 : uint64_t(std::bit_width(bytes)) << 1 | 1;
  const auto device = static_cast<uint8_t>(allocation.device);
  return Mix(where << 8 | device, kPlace);
}

bool RhythmEvents::IsPlace(uint64_t key) {
  return (key & 7) == kPlace + 1;
}

RhythmEvents::Keys RhythmEvents::Next(uint64_t place, int64_t bytes) {
  const uint64_t before = std::exchange(last_place_, place);
  const bool same = before == place;
  return {Mix(place ^ static_cast<uint64_t>(bytes), kPlaceAndSize), place,
          same ? 0 : Mix(place, kArrival),
          same ? 0 : Mix(before ^ place << 1, kChange)};
}

void RhythmFinder::Add(const MemoryEvent& event) {
  if (event.op == static_cast<int>(trace::MemoryOp::kFree)) {
    const auto bytes = blocks_.Take(BlockKey(event));
    if (!bytes) return;
    live_ = SubtractCapped(live_, *bytes);
  }
  if (!RhythmEvents::IsAllocation(event)) return;
  allocations_.push_back({RhythmEvents::PlaceOf(event), event.bytes, live_});
  live_ = AddCapped(live_, event.bytes);
  blocks_.Put(BlockKey(event), event.bytes);
}

// Calls it with the key of each event and the allocation.
template <typename Use>
void RhythmFinder::ForEachEvent(Use use) const {
  RhythmEvents keys;
  for (const Allocation& one : allocations_) {
    for (const uint64_t key : keys.Next(one.place, one.bytes)) {
      if (key != 0) use(key, one);
    }
  }
}

// An event that occurs min_steps times or less is no candidate.
void RhythmFinder::Measure(int64_t min_steps) {
  EventCounts counts(kMaxEvents);
  ForEachEvent([&](uint64_t key, const Allocation&) { counts.Add(key); });
  counts.ForEach([&](EventCounts::Count& count) {
    if (count.times <= min_steps) return;
    events_.emplace_back().key = count.key;
    count.mark = static_cast<uint32_t>(events_.size());
  });
  int64_t allocated = 0;
  int64_t number = -1;
  const Allocation* last = nullptr;
  ForEachEvent([&](uint64_t key, const Allocation& one) {
    if (&one != last) {
      if (last != nullptr) allocated = AddCapped(allocated, last->bytes);
      last = &one;
      ++number;
    }
    const EventCounts::Count* count = counts.Find(key);
    if (count == nullptr || count->mark == 0) return;
    Note(number, allocated, one.live, &events_[count->mark - 1]);
  });
  tried_ = static_cast<double>(counts.size());
  allocation_count_ = static_cast<double>(allocations_.size());
  allocations_.clear();
  blocks_ = {};
  measured_ = true;
}

void RhythmFinder::Note(int64_t number, int64_t allocated, int64_t live,
                        Event* event) {
  if (event->count++ > 0) {
    const int64_t length = number - event->last;
    const int length_class = LengthClass(length);
    auto at = std::find_if(
        event->gaps.begin(), event->gaps.end(),
        [=](const Gaps& gaps) { return gaps.length_class == length_class; });
    if (at == event->gaps.end()) {
      at = event->gaps.insert(at, Gaps{length_class});
    }
    ++at->count;
    at->sum += length;
    at->allocated += allocated - event->last_allocated;
    at->kept += std::abs(live - event->last_live);
  } else {
    event->first = number;
  }
  event->last = number;
  event->last_live = live;
  event->last_allocated = allocated;
  event->live_sum += static_cast<double>(live);
}

}  // namespace inquest::memory
