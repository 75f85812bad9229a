#include "analyzer/whatif/judge.h"

#include <algorithm>

namespace inquest::whatif {
namespace {

constexpr int kMostDoublings = 10;
constexpr double kMostBatch = 8;
constexpr double kLeastBatch = 1.0 / 64;

// Whether its demand on the driver is the same whatever the device has, as long
// as that is enough.
bool IgnoresRoom(const History& history, const Setup& setup) {
  return !history.room.one_piece && setup.model != Model::kBfc &&
         !setup.torch.memory_fraction;
}

// The smallest room that is enough, given whether `room` is.
int64_t Needed(const History& history, const Setup& setup, int64_t room,
               bool enough, int64_t peak) {
  int64_t low = enough ? 0 : room;
  int64_t high = enough ? room : std::max(peak, room + kPage);
  for (int i = 0; !enough && i < kMostDoublings; ++i) {
    if (Simulate(history, setup, high).ok()) break;
    low = high;
    high *= 2;
  }
  return LeastCapacity(history, setup, low, high);
}

}  // namespace

int64_t RoomOf(const History& history) {
  return history.room.bytes.value_or(kBoundless);
}

void Judge(const History& history, const Setup& setup, Change* change) {
  const bool known = history.room.bytes.has_value();
  const int64_t room = RoomOf(history) / kPage * kPage;
  Outcome outcome = Simulate(history, setup, kBoundless);
  const int64_t peak = outcome.totals.peak_reserved;
  change->needed = peak;
  const bool calm = peak <= room && IgnoresRoom(history, setup);
  if (known && !calm) {
    outcome = Simulate(history, setup, room);
    change->needed = Needed(history, setup, room, outcome.ok(), peak);
  }
  change->peak_reserved = outcome.totals.peak_reserved;
  change->peak_allocated = outcome.totals.peak_allocated;
  change->refused = outcome.refused;
  if (!known) return;
  change->survives = outcome.ok();
  change->margin = room - change->needed;
}

double LargestBatch(const History& history, const Setup& setup) {
  const auto fits = [&](double factor) {
    Setup scaled = setup;
    scaled.scale = factor;
    return Simulate(history, scaled, RoomOf(history)).ok();
  };
  double low = kLeastBatch;
  double high = kMostBatch;
  if (fits(high)) return high;
  if (!fits(low)) return 0;
  while (high - low > 1.0 / 64) {
    const double middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace inquest::whatif
