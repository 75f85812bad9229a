// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/trials/judge.h"

#include <algorithm>

namespace inquest::whatif {
namespace {

constexpr int kMaxDoublings = 10;
constexpr double kMaxBatch = 8;
constexpr double kMinBatch = 1.0 / 64;
constexpr int64_t kReplayed = 8'000'000;  // requests, in a bisection
constexpr int64_t kMinHalvings = 4;

// Whether its requests to the driver do not depend on the device's size, as
// long as that is sufficient.
bool IgnoresRoom(const History& history, const Setup& setup) {
  return !history.room.one_piece && setup.model != Model::kBfc &&
         !setup.torch.memory_fraction;
}

// The smallest room that is sufficient. `outcome` is the result with `room`,
// `peak` what is held with unlimited room.
std::optional<int64_t> Needed(const History& history, const Setup& setup,
                              int64_t room, const Outcome& outcome,
                              int64_t peak) {
  const bool enough = outcome.ok();
  // All blocks that were live together had to be held.
  int64_t low =
      enough ? std::max<int64_t>(0, outcome.totals.peak_allocated - kPage)
             : room;
  // If an allocator takes all there is, its peak says nothing about its need.
  const bool takes_all = setup.model == Model::kBfc && !setup.bfc.allow_growth;
  int64_t high = enough      ? room
                 : takes_all ? 2 * room + kPage
                             : std::max(peak, room + kPage);
  for (int i = 0; !enough; ++i) {
    if (Simulate(history, setup, high).ok()) break;
    if (i == kMaxDoublings) return {};
    low = high;
    high *= 2;
  }
  return MinCapacity(history, setup, low, high,
                     ToleranceOf(history, high - low));
}

}  // namespace

int64_t ToleranceOf(const History& history, int64_t range) {
  const auto requests = static_cast<int64_t>(history.requests.size());
  const int64_t halvings = std::clamp<int64_t>(
      kReplayed / std::max<int64_t>(1, requests), kMinHalvings, 40);
  return std::max(kPage, range >> halvings);
}

int64_t RoomOf(const History& history) {
  return history.room.bytes.value_or(kBoundless);
}

void Judge(const History& history, const Setup& setup, Change* change) {
  const bool known = history.room.bytes.has_value();
  const int64_t room = (RoomOf(history) + setup.more_room) / kPage * kPage;
  Outcome outcome = Simulate(history, setup, kBoundless);
  const int64_t peak = outcome.totals.peak_reserved;
  change->needed = peak;
  const bool calm = peak <= room && IgnoresRoom(history, setup);
  if (known && !calm) {
    outcome = Simulate(history, setup, room);
    change->needed = Needed(history, setup, room, outcome, peak);
  }
  change->peak_reserved = outcome.totals.peak_reserved;
  change->peak_allocated = outcome.totals.peak_allocated;
  change->refused = outcome.refused;
  if (!known) return;
  change->survives = outcome.ok();
  if (change->needed) change->margin = room - *change->needed;
}

double LargestBatch(const History& history, const Setup& setup) {
  const auto fits = [&](double factor) {
    Setup scaled = setup;
    scaled.scale = factor;
    return Simulate(history, scaled, RoomOf(history)).ok();
  };
  double low = kMinBatch;
  double high = kMaxBatch;
  if (fits(high)) return high;
  if (!fits(low)) return 0;
  while (high - low > 1.0 / 64) {
    const double middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace inquest::whatif
