// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/steps/rhythm.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <tuple>
#include <utility>

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

// The largest share of exponential gaps in two neighbouring classes, whatever
// their mean: for lengths from x to at most 1.5 x, the maximum of
// e^-x - e^-1.5x.
constexpr double kByChance = 0.149;

// After H. Chernoff, "A Measure of Asymptotic Efficiency for Tests of a
// Hypothesis Based on the sum of Observations" (1952): the probability of k or
// more of n, each with probability p < k/n, is at most e to the minus this.
double Surprise(double k, double n, double p) {
  const double share = k / n;
  const double rest =
      share < 1 ? (1 - share) * std::log((1 - share) / (1 - p)) : 0;
  return share <= p ? 0 : n * (share * std::log(share / p) + rest);
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

RhythmEvents::Keys RhythmEvents::Next(const MemoryEvent& allocation) {
  const auto bytes = static_cast<uint64_t>(allocation.bytes);
  const auto stack = static_cast<uint64_t>(allocation.stack);
  const uint64_t where =
      stack != 0 ? stack << 1 : uint64_t(std::bit_width(bytes)) << 1 | 1;
  const auto device = static_cast<uint8_t>(allocation.device);
  const uint64_t place = Mix(where << 8 | device, kPlace);
  const uint64_t before = std::exchange(last_place_, place);
  const bool same = before == place;
  return {Mix(place ^ bytes, kPlaceAndSize), place,
          same ? 0 : Mix(place, kArrival),
          same ? 0 : Mix(before ^ place << 1, kChange)};
}

void RhythmFinder::Add(const MemoryEvent& event) {
  if (event.op == static_cast<int>(trace::MemoryOp::kFree)) {
    const auto block = blocks_.find(BlockKey(event));
    if (block == blocks_.end()) return;
    live_ = SubtractCapped(live_, block->second);
    blocks_.erase(block);
  }
  if (!RhythmEvents::IsAllocation(event)) return;
  const RhythmEvents::Keys keys = keys_.Next(event);
  for (size_t kind = 0; kind < keys.size(); ++kind) {
    if (keys[kind] != 0) Note(keys[kind], kind == RhythmEvents::kPlace);
  }
  ++allocations_;
  allocated_ = AddCapped(allocated_, event.bytes);
  live_ = AddCapped(live_, event.bytes);
  blocks_[BlockKey(event)] = event.bytes;
}

void RhythmFinder::Note(uint64_t key, bool is_place) {
  auto found = events_.find(key);
  if (found == events_.end()) {
    if (events_.size() >= kMaxEvents) return;
    found = events_.emplace(key, Event{}).first;
    found->second.first = allocations_;
    found->second.is_place = is_place;
  }
  Event& event = found->second;
  if (event.count++ > 0) {
    const int64_t length = allocations_ - event.last;
    const int length_class = LengthClass(length);
    auto at = std::find_if(
        event.gaps.begin(), event.gaps.end(),
        [=](const Gaps& gaps) { return gaps.length_class == length_class; });
    if (at == event.gaps.end()) {
      at = event.gaps.insert(at, Gaps{length_class});
    }
    ++at->count;
    at->sum += length;
    at->allocated += allocated_ - event.last_allocated;
    at->kept += std::abs(live_ - event.last_live);
  }
  event.last = allocations_;
  event.last_live = live_;
  event.last_allocated = allocated_;
  event.live_sum += static_cast<double>(live_);
}

// Two neighbouring classes count together: a length may be on their border.
RhythmFinder::Gaps RhythmFinder::Commonest(const Event& event) {
  Gaps best;
  for (const Gaps& low : event.gaps) {
    Gaps both = low;
    for (const Gaps& high : event.gaps) {
      if (high.length_class != low.length_class + 1) continue;
      both.count += high.count;
      both.sum += high.sum;
      both.allocated += high.allocated;
      both.kept += high.kept;
    }
    if (both.count > best.count) best = both;
  }
  return best;
}

bool RhythmFinder::IsRegular(const Event& event, const Gaps& gaps,
                             const RhythmLimits& limits) const {
  const auto regular = static_cast<double>(gaps.count);
  const auto all = static_cast<double>(event.count - 1);
  const auto tried = static_cast<double>(events_.size());
  return gaps.count >= limits.min_steps &&
         regular >= limits.min_regular * all &&
         Surprise(regular, all, kByChance) >=
             limits.min_surprise + std::log(tried);
}

std::vector<RhythmFinder::Candidate> RhythmFinder::Candidates(
    const RhythmLimits& limits) const {
  std::vector<Candidate> candidates;
  const auto all = static_cast<double>(allocations_);
  for (const auto& [key, event] : events_) {
    if (event.count <= limits.min_steps) continue;
    const Gaps gaps = Commonest(event);
    if (!IsRegular(event, gaps, limits)) continue;
    const auto sum = static_cast<double>(gaps.sum);
    const double period = sum / static_cast<double>(gaps.count);
    const double kept = static_cast<double>(gaps.kept) /
                        std::max(1.0, static_cast<double>(gaps.allocated));
    if (period >= limits.min_period && sum >= limits.min_coverage * all &&
        kept <= limits.max_kept) {
      candidates.push_back({key, &event, gaps.count, period, kept});
    }
  }
  return candidates;
}

// How often each place occurred, ascending.
std::vector<int64_t> RhythmFinder::RecurringPlaces(int64_t least) const {
  std::vector<int64_t> counts;
  for (const auto& [key, event] : events_) {
    if (event.is_place && event.count > least) counts.push_back(event.count);
  }
  std::sort(counts.begin(), counts.end());
  return counts;
}

std::optional<Rhythm> RhythmFinder::Find(const RhythmLimits& limits) const {
  std::vector<Candidate> candidates = Candidates(limits);
  double best = limits.max_kept;
  for (const Candidate& one : candidates) best = std::min(best, one.kept);
  const std::vector<int64_t> places = RecurringPlaces(limits.min_steps);
  // A place belongs to a level if it occurs at least every other time.
  const auto misses_places = [&](const Candidate& one) {
    const auto inside =
        places.end() - std::lower_bound(places.begin(), places.end(),
                                        (one.event->count + 1) / 2);
    return static_cast<double>(inside) <
           limits.min_places * static_cast<double>(places.size());
  };
  std::erase_if(candidates, [&](const Candidate& one) {
    return one.kept > best + limits.equally_kept || misses_places(one);
  });
  if (candidates.empty()) return {};
  return Begin(std::move(candidates), limits);
}

// Of the shortest level the event with the least memory held; among equals the
// earliest, so that the order of the hash table does not matter.
Rhythm RhythmFinder::Begin(std::vector<Candidate> candidates,
                           const RhythmLimits& limits) {
  double shortest = candidates.front().period;
  for (const Candidate& one : candidates) {
    shortest = std::min(shortest, one.period);
  }
  std::erase_if(candidates, [&](const Candidate& one) {
    return one.period > shortest * (1 + limits.period_tolerance);
  });
  int64_t most = 0;
  for (const Candidate& one : candidates) most = std::max(most, one.steps);
  const auto rank = [&](const Candidate& one) {
    const bool seldom = static_cast<double>(one.steps) <
                        limits.about_as_often * static_cast<double>(most);
    const double held =
        one.event->live_sum / static_cast<double>(one.event->count);
    return std::tuple(seldom, held, one.event->first, one.key);
  };
  const Candidate& chosen =
      *std::min_element(candidates.begin(), candidates.end(),
                        [&](const Candidate& a, const Candidate& b) {
                          return rank(a) < rank(b);
                        });
  return {chosen.key, chosen.period};
}

}  // namespace inquest::memory
