// The rhythm of a program that marks no steps: which allocation comes once a
// step, and how many allocations a step has.
//
// Method. Successful allocations are numbered. The place of one is its call
// stack (without stacks: its size's power of two). Each is taken as up to four
// events: its place and size; its place alone, for sizes that vary; and, for
// loops over layers, in which no place comes once a step, the arrival at this
// place from another one, whichever, and from that one. The gap of an event is
// the number of allocations since its last occurrence. After S. Ma and J. L.
// Hellerstein, "Mining Partially Periodic Event Patterns with Unknown Periods"
// (ICDE 2001), the candidates are events of which one gap, give or take, is by
// far the commonest: gaps of other lengths (warm-up, evaluation, a pause) do
// not count against it as long as they are the minority. So many equal gaps
// must be no accident: if an event came at random its gaps were exponential,
// and no more than kByChance of them of one length. How unlikely k of n are is
// bounded after Chernoff, and corrected after Bonferroni for the number of
// events that were tried.
//
// Programs repeat on several levels: layers, steps, epochs. A step is told by
// what it leaves behind: it gives back what it took, which a layer on the way
// forward does not. Of the levels that give back about as much as the best one
// does, the shortest is the step, unless most places of the program lie outside
// of it. It begins where the least memory is held, of the events that come
// about as often as any.
//
// One pass, constant time an event; memory is bounded by the number of
// different events, at most kMaxEvents. Pure computation.
//
// Does not tell: steps of a single allocation; steps that keep more than half
// of what they allocate; equal layers in a forward-only program from steps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyzer/memory/replay/memory_event.h"

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
  // Only these make a rhythm.
  static bool IsAllocation(const MemoryEvent& event);
  Keys Next(const MemoryEvent& allocation);

 private:
  uint64_t last_place_ = 0;
};

struct RhythmLimits {
  int64_t least_steps = 8;
  double least_period = 2;      // allocations
  double least_regular = 0.6;   // of an event's gaps
  double least_coverage = 0.5;  // of all allocations
  double least_places = 0.6;    // of the places that recur
  double most_kept = 0.5;       // of the bytes allocated in a step
  double equally_kept = 0.1;    // more than the best level
  double period_tolerance = 0.25;
  double about_as_often = 0.95;
  double least_surprise = 14;  // -log of the odds of one false alarm
};

class RhythmFinder {
 public:
  static constexpr size_t kMaxEvents = 1 << 17;
  void Add(const MemoryEvent& event);
  std::optional<Rhythm> Find(const RhythmLimits& limits = {}) const;

 private:
  struct Gaps {  // of about one length
    int length_class = 0;
    int64_t count = 0;
    int64_t sum = 0;        // allocations
    int64_t allocated = 0;  // bytes
    int64_t kept = 0;       // bytes, gained or lost
  };
  struct Event {
    int64_t count = 0;
    int64_t first = 0;
    int64_t last = 0;
    int64_t last_live = 0;
    int64_t last_allocated = 0;
    double live_sum = 0;  // bytes held before each occurrence
    bool is_place = false;
    std::vector<Gaps> gaps;
  };
  struct Candidate {
    uint64_t key = 0;
    const Event* event = nullptr;
    int64_t steps = 0;
    double period = 0;
    double kept = 0;
  };

  void Note(uint64_t key, bool is_place);
  static Gaps Commonest(const Event& event);
  bool IsRegular(const Event& event, const Gaps& gaps,
                 const RhythmLimits& limits) const;
  std::vector<Candidate> Candidates(const RhythmLimits& limits) const;
  std::vector<int64_t> RecurringPlaces(int64_t least) const;
  static Rhythm Begin(std::vector<Candidate> candidates,
                      const RhythmLimits& limits);

  RhythmEvents keys_;
  int64_t allocations_ = 0;
  int64_t live_ = 0;
  int64_t allocated_ = 0;
  std::unordered_map<uint64_t, int64_t> blocks_;  // bytes by address and layer
  std::unordered_map<uint64_t, Event> events_;
};

}  // namespace inquest::memory
