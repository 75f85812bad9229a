// SPDX-License-Identifier: Apache-2.0
// The rhythm of a program that marks no steps: which allocation occurs once per
// step, and how many allocations a step has. For steps.h.
//
// Method. Successful allocations are numbered. The place of an allocation is
// its call stack (without stacks: the power of two of its size). Each
// allocation is up to four events: its place and size; its place alone, for
// sizes that vary; and, for loops over layers in which no place occurs once per
// step, the change to this place from any other one, and from that particular
// one. The gap of an event is the number of allocations since its last
// occurrence. After S. Ma and J. L. Hellerstein, "Mining Partially Periodic
// Event Patterns with Unknown Periods" (ICDE 2001), the candidates are events
// with one gap length that is by far the most common; other lengths (warm-up,
// evaluation, a pause) do no harm as long as they are the minority. The equal
// gaps must be significant: the gaps of an event that occurs at random are
// exponential, with at most kByChance of them of one length. The odds of k of n
// are bounded after Chernoff and corrected after Bonferroni for the number of
// events tried.
//
// Programs repeat on several levels: layers, steps, epochs. A step frees what
// it allocated, which a layer in the forward pass does not. Of the levels that
// free about as much as the best one, the shortest is the step, unless most
// places of the program are outside it. Of the events that occur about as often
// as any, the step begins with the one at which the least memory is held.
//
// Two passes over the allocations, which are kept for the second one (24 bytes
// each): first the events are counted, then the gaps of those that occur often
// enough are measured. Constant time per event; of different events at most
// kMaxEvents are counted. Pure computation.
//
// Not found: steps of a single allocation, and steps that keep more than half
// of what they allocate. Equal layers of a forward-only program are found like
// steps; rhythm_judge.h tells them apart.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "analyzer/memory/replay/memory_event.h"
#include "analyzer/memory/steps/live_blocks.h"

namespace inquest::memory {

struct Rhythm {
  uint64_t anchor = 0;  // the event that begins a step, see RhythmEvents
  double period = 0;    // allocations in a step
};

// The events of allocations, fed in their order.
class RhythmEvents {
 public:
  enum { kPlaceAndSize, kPlace, kArrival, kChange, kKinds };
  using Keys = std::array<uint64_t, kKinds>;  // 0: no such event
  // Only these count.
  static bool IsAllocation(const MemoryEvent& event);
  Keys Next(const MemoryEvent& allocation) {
    return Next(PlaceOf(allocation), allocation.bytes);
  }
  static uint64_t PlaceOf(const MemoryEvent& allocation);
  // Whether the key is that of a place alone.
  static bool IsPlace(uint64_t key);
  Keys Next(uint64_t place, int64_t bytes);

 private:
  uint64_t last_place_ = 0;
};

struct RhythmLimits {
  int64_t min_steps = 8;
  double min_period = 2;      // allocations
  double min_regular = 0.6;   // of an event's gaps
  double min_coverage = 0.5;  // of all allocations
  double min_places = 0.6;    // of the places that recur
  double max_kept = 0.5;      // of the bytes allocated in a step
  double equally_kept = 0.1;  // more than the best level
  double period_tolerance = 0.25;
  double about_as_often = 0.95;
  double min_surprise = 14;  // -log of the odds of one false alarm
};

class RhythmFinder {
 public:
  static constexpr size_t kMaxEvents = 1 << 17;
  void Add(const MemoryEvent& event);
  // After the last Add; the first call decides min_steps.
  std::optional<Rhythm> Find(const RhythmLimits& limits = {});

 private:
  struct Allocation {
    uint64_t place = 0;
    int64_t bytes = 0;
    int64_t live = 0;  // bytes held before it
  };
  struct Gaps {  // of about one length
    int length_class = 0;
    int64_t count = 0;
    int64_t sum = 0;        // allocations
    int64_t allocated = 0;  // bytes
    int64_t kept = 0;       // bytes, gained or lost
  };
  struct Event {
    uint64_t key = 0;
    int64_t count = 0;
    int64_t first = 0;
    int64_t last = 0;
    int64_t last_live = 0;
    int64_t last_allocated = 0;
    double live_sum = 0;  // bytes held before each occurrence
    std::vector<Gaps> gaps;
  };
  struct Candidate {
    const Event* event = nullptr;
    int64_t steps = 0;
    double period = 0;
    double kept = 0;
  };

  template <typename Use>
  void ForEachEvent(Use use) const;
  void Measure(int64_t min_steps);
  static void Note(int64_t number, int64_t allocated, int64_t live,
                   Event* event);
  static Gaps Commonest(const Event& event);
  bool IsRegular(const Event& event, const Gaps& gaps,
                 const RhythmLimits& limits) const;
  std::vector<Candidate> Candidates(const RhythmLimits& limits) const;
  std::vector<int64_t> RecurringPlaces(int64_t least) const;
  static Rhythm Begin(std::vector<Candidate> candidates,
                      const RhythmLimits& limits);

  std::deque<Allocation> allocations_;  // until they are measured
  int64_t live_ = 0;
  LiveBlocks blocks_;  // by address and layer
  bool measured_ = false;
  double allocation_count_ = 0;
  double tried_ = 0;           // different events
  std::vector<Event> events_;  // those that occur often enough
};

}  // namespace inquest::memory
