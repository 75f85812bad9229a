// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/steps/rhythm.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace inquest::memory {
namespace {

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

}  // namespace

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
  return gaps.count >= limits.min_steps &&
         regular >= limits.min_regular * all &&
         Surprise(regular, all, kByChance) >=
             limits.min_surprise + std::log(tried_);
}

std::vector<RhythmFinder::Candidate> RhythmFinder::Candidates(
    const RhythmLimits& limits) const {
  std::vector<Candidate> candidates;
  for (const Event& event : events_) {
    if (event.count <= limits.min_steps) continue;
    const Gaps gaps = Commonest(event);
    if (!IsRegular(event, gaps, limits)) continue;
    const auto sum = static_cast<double>(gaps.sum);
    const double period = sum / static_cast<double>(gaps.count);
    const double kept = static_cast<double>(gaps.kept) /
                        std::max(1.0, static_cast<double>(gaps.allocated));
    if (period >= limits.min_period &&
        sum >= limits.min_coverage * allocation_count_ &&
        kept <= limits.max_kept) {
      candidates.push_back({&event, gaps.count, period, kept});
    }
  }
  return candidates;
}

// How often each place occurred, ascending.
std::vector<int64_t> RhythmFinder::RecurringPlaces(int64_t least) const {
  std::vector<int64_t> counts;
  for (const Event& event : events_) {
    if (RhythmEvents::IsPlace(event.key) && event.count > least) {
      counts.push_back(event.count);
    }
  }
  std::sort(counts.begin(), counts.end());
  return counts;
}

std::optional<Rhythm> RhythmFinder::Find(const RhythmLimits& limits) {
  if (!measured_) Measure(limits.min_steps);
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
    return std::tuple(seldom, held, one.event->first, one.event->key);
  };
  const Candidate& chosen =
      *std::min_element(candidates.begin(), candidates.end(),
                        [&](const Candidate& a, const Candidate& b) {
                          return rank(a) < rank(b);
                        });
  return {chosen.event->key, chosen.period};
}

}  // namespace inquest::memory
