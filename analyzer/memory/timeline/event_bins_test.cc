// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/timeline/event_bins.h"

#include <algorithm>
#include <random>

#include "tests/catch_compat.h"

namespace inquest::memory {
namespace {

constexpr size_t kGroups = 3;

struct Made {
  int64_t bytes = 0, made = 0, freed = EventBins::kNever;
  size_t group = 0;
};

// A program that allocates and frees at random; in some events several blocks.
class Filling {
 public:
  explicit Filling(int64_t events, int64_t first_id, int64_t stride) {
    std::mt19937 random(17);
    for (int64_t i = 0; i < events; ++i) {
      const int64_t id = first_id + i * stride;
      bins_.Begin(id);
      const bool grows = (i / 500) % 2 == 0;
      if (live_.empty() || random() % 100 < (grows ? 60U : 40U)) {
        live_.push_back(blocks_.size());
        blocks_.push_back({static_cast<int64_t>(random() % 1000 + 1), id,
                           EventBins::kNever, random() % kGroups});
        held_ += blocks_.back().bytes;
      } else {
        for (size_t n = random() % 3 + 1; n > 0 && !live_.empty(); --n) {
          FreeOne(random() % live_.size(), id);
        }
      }
      bins_.End(id, 10 * i, held_);
      ids_.push_back(id);
    }
    bins_.Finish();
    for (const size_t i : live_) Add(blocks_[i]);
    for (const size_t i : late_) Add(blocks_[i]);
  }

  int64_t Held(size_t group, int64_t event) const {
    int64_t held = 0;
    for (const Made& one : blocks_) {
      if (one.group == group && one.made <= event && event < one.freed) {
        held += one.bytes;
      }
    }
    return held;
  }
  // The most after an event between two.
  int64_t Most(int64_t from, int64_t to) const {
    int64_t most = 0;
    for (const int64_t id : ids_) {
      if (id < from || id > to) continue;
      int64_t held = 0;
      for (size_t group = 0; group < kGroups; ++group) held += Held(group, id);
      most = std::max(most, held);
    }
    return most;
  }
  const EventBins& bins() const { return bins_; }

 private:
  // One in four is added at the end, as lasting blocks are.
  void FreeOne(size_t place, int64_t id) {
    Made& one = blocks_[live_[place]];
    one.freed = id;
    held_ -= one.bytes;
    if (live_[place] % 4 == 0) {
      late_.push_back(live_[place]);
    } else {
      bins_.Free(one.group, one.bytes, one.made);
    }
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(place));
  }
  void Add(const Made& one) {
    bins_.Add(one.group, one.bytes, one.made, one.freed);
  }

  EventBins bins_;
  std::vector<Made> blocks_;
  std::vector<size_t> live_, late_;
  std::vector<int64_t> ids_;
  int64_t held_ = 0;
};

void Check(const Filling& program) {
  const auto& bins = program.bins().bins();
  REQUIRE(bins.size() <= EventBins::kMost);
  int64_t from = INT64_MIN;
  std::vector<std::vector<int64_t>> high(kGroups), last(kGroups);
  for (size_t group = 0; group < kGroups; ++group) {
    high[group].resize(bins.size());
    last[group].resize(bins.size());
    program.bins().AddTo(group, &high[group], &last[group]);
  }
  for (size_t i = 0; i < bins.size(); ++i) {
    if (bins[i].empty()) continue;
    int64_t sum = 0;
    for (size_t group = 0; group < kGroups; ++group) {
      REQUIRE(high[group][i] == program.Held(group, bins[i].high_event));
      REQUIRE(last[group][i] == program.Held(group, bins[i].last_event));
      sum += high[group][i];
    }
    REQUIRE(sum == bins[i].high);
    REQUIRE(sum == program.Most(from, bins[i].last_event));
    from = bins[i].last_event + 1;
  }
}

TEST_CASE("few events have a bin each", "[timeline]") {
  Check(Filling(300, 5, 1));
}

TEST_CASE("of many events each bin has its highest and its last moment",
          "[timeline]") {
  Check(Filling(3'000, 1, 1));
}

TEST_CASE("numbers of events may have gaps of any length", "[timeline]") {
  Check(Filling(1'500, 1, 7));
  Check(Filling(1'200, 1, int64_t{1} << 50));
}

}  // namespace
}  // namespace inquest::memory
