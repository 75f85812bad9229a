// SPDX-License-Identifier: Apache-2.0
// Families of leaking runs that are followed until they die: the prediction
// made on the way, and at the end, against the step in which they did.
#include "analyzer/memory/leaks/projection.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "analyzer/memory/leaks/trend.h"
#include "base/units.h"
#include "tests/catch_compat.h"

namespace inquest::memory {
namespace {

struct LeakingRun {
  int64_t room = 0;
  int64_t base = 0;     // held all the time
  int64_t leaked = 0;   // by a step
  int64_t noise = 0;    // of that
  int64_t need = 0;     // of a step, freed at its end
  int64_t varying = 0;  // of that
  bool in_pool = false;
  int64_t beside = 0;  // of a pool's segments
};

// Follows the run up to `until` of its death and predicts, or to the end.
class Follower {
 public:
  Follower(const LeakingRun& run, uint64_t seed) : run_(run), dice_(seed) {}

  // The step that dies, and for each step what was predicted after it.
  int64_t Run(std::vector<double>* predicted) {
    for (int64_t step = 0;; ++step) {
      const int64_t need = run_.need + Any(run_.varying);
      if (Beside() + live_ + need > run_.room) return step;
      if (live_ + need > peak_) {
        peak_ = live_ + need;
        peak_time_ = step + 1;
      }
      live_ += run_.leaked + Any(run_.noise);
      kept_.push_back({double(step), double(live_)});
      predicted->push_back(Predict(step));
    }
  }

 private:
  int64_t Any(int64_t range) {
    return range == 0 ? 0 : int64_t(dice_() % uint64_t(2 * range)) - range;
  }
  int64_t Beside() const { return run_.in_pool ? run_.beside : 0; }
  double Predict(int64_t step) {
    const HeldSoFar blocks{live_, peak_, peak_time_};
    if (run_.in_pool) {
      const int64_t segments = peak_ + run_.beside;
      projection_.EndStep(0, {segments, segments, peak_time_}, blocks);
    } else {
      projection_.EndStep(0, blocks, {});
    }
    if (step < 8) return NAN;
    const auto rate = int64_t(FindTrend(Thin(kept_, 64)).slope);
    const auto left = projection_.StepsLeft(0, run_.room, rate);
    return left ? double(step + 1 + *left) : NAN;
  }

  LeakingRun run_;
  std::mt19937_64 dice_;
  Projection projection_;
  int64_t live_ = run_.base;
  int64_t peak_ = 0;
  int64_t peak_time_ = 0;
  std::vector<Point> kept_;
};

std::vector<std::pair<std::string, LeakingRun>> Runs() {
  LeakingRun plain{8192 * kMiB, 1000 * kMiB, 17 * kMiB};
  LeakingRun noisy = plain;
  noisy.noise = 9 * kMiB;
  LeakingRun peaks = plain;
  peaks.need = 3000 * kMiB;
  LeakingRun varying = peaks;
  varying.varying = 300 * kMiB;
  LeakingRun pool = varying;
  pool.in_pool = true;
  pool.beside = 600 * kMiB;
  return {{"plain", plain},
          {"noisy", noisy},
          {"a step's peak", peaks},
          {"a varying peak", varying},
          {"in a pool", pool}};
}

TEST_CASE("the step that fills the device is predicted") {
  for (const auto& [name, leaking] : Runs()) {
    double worst_half = 0, worst_end = 0;
    for (uint64_t seed = 1; seed <= uint64_t(Rounds(50)); ++seed) {
      LeakingRun run = leaking;
      run.room += int64_t(seed) * 37 * kMiB;
      std::vector<double> predicted;
      const auto died = double(Follower(run, seed).Run(&predicted));
      const double half = predicted[predicted.size() / 2];
      worst_half = std::max(worst_half, std::abs(half - died) / died);
      worst_end = std::max(worst_end, std::abs(predicted.back() - died) / died);
    }
    std::printf(
        "%-16s off by at most %.1f %% of the run half-way, %.1f %% at "
        "its end\n",
        name.c_str(), 100 * worst_half, 100 * worst_end);
    CHECK(worst_half <= 0.05);
    CHECK(worst_end <= 0.05);
  }
}

TEST_CASE("without a step, a pace or a device there is no prediction") {
  Projection projection;
  CHECK_FALSE(projection.StepsLeft(0, 100, 1));
  projection.EndStep(0, {10, 10, 1}, {});
  CHECK_FALSE(projection.StepsLeft(0, 100, 0));
  CHECK_FALSE(projection.StepsLeft(1, 100, 1));
  CHECK(projection.StepsLeft(0, 100, 1) == 90);
  CHECK(projection.StepsLeft(0, 5, 1) == 0);
}

}  // namespace
}  // namespace inquest::memory
