// SPDX-License-Identifier: Apache-2.0
// Programs without steps, of which some leak.
#include "analyzer/memory/leaks/growth.h"

#include <cmath>
#include <functional>
#include <random>

#include "base/units.h"
#include "tests/catch_compat.h"

namespace inquest::memory {
namespace {

constexpr int64_t kEvents = 20'000;

class StepFreeProgram {
 public:
  // One request at a time; the site of stack 1 is the one to be judged.
  std::vector<Growth> Run(
      const std::function<void(StepFreeProgram*, int64_t)>& body) {
    for (int64_t i = 0; i < kEvents; ++i) body(this, i);
    return FindGrowth(sites_.sites(), windows_);
  }
  void Get(int64_t stack, int64_t bytes) {
    Event();
    sites_.OnAlloc(sites_.Find(stack, 0), bytes);
  }
  void Free(int64_t stack, int64_t bytes) {
    Event();
    sites_.OnFree(sites_.Find(stack, 0), bytes);
  }
  void Use(int64_t bytes) {
    Get(2, bytes);
    Free(2, bytes);
  }
  uint64_t Any(uint64_t range) { return dice_() % range; }
  int64_t nanoseconds = 1'000'000;  // between two events

 private:
  void Event() {
    time_ += nanoseconds;
    if (windows_.End(time_)) sites_.EndStep(window_++);
  }

  std::mt19937_64 dice_{20261123};
  SiteTable sites_{[](int64_t stack) {
    return std::vector<Frame>{{"site" + std::to_string(stack), "", 0, ""}};
  }};
  Windows windows_{2 * kEvents};
  int64_t time_ = 0;
  int64_t window_ = 0;
};

TEST_CASE("a site that keeps a little at irregular moments grows") {
  const auto found = StepFreeProgram().Run([](StepFreeProgram* run, int64_t) {
    run->Use(int64_t(1 + run->Any(8)) * kMiB);
    if (run->Any(20) == 0) run->Get(1, kMiB);
  });
  REQUIRE(found.size() == 1);
  CHECK(found[0].growth_bytes > 800 * kMiB);
  CHECK(found[0].share > 0.9);
  const double hours = kEvents * 2.05e6 / 3.6e12;
  const double pace = 1000.0 * kMiB / hours;
  CHECK(std::abs(double(found[0].bytes_per_hour) / pace - 1) < 0.15);
}

TEST_CASE("a model that is loaded and then used does not leak") {
  CHECK(StepFreeProgram()
            .Run([](StepFreeProgram* run, int64_t i) {
              i < kEvents / 10 ? run->Get(1, kMiB) : run->Use(kMiB);
            })
            .empty());
}

TEST_CASE("a program that only loads does not leak") {
  CHECK(StepFreeProgram()
            .Run([](StepFreeProgram* run, int64_t i) {
              run->Get(1, kMiB);
              if (i % 8 == 0) run->Use(kMiB);
            })
            .empty());
}

TEST_CASE("a cache that fills up and a site that swings do not leak") {
  CHECK(StepFreeProgram()
            .Run([](StepFreeProgram* run, int64_t i) {
              run->Use(8 * kMiB);
              if (i < kEvents / 3 && i % 8 == 0) run->Get(1, kMiB);
            })
            .empty());
  CHECK(StepFreeProgram()
            .Run([](StepFreeProgram* run, int64_t i) {
              run->Use(8 * kMiB);
              const int64_t at = i % 4000;
              if (at % 10 == 0) {
                at < 2000 ? run->Get(1, kMiB) : run->Free(1, kMiB);
              }
            })
            .empty());
}

TEST_CASE("what grew in a moment of the run and then stayed is no leak") {
  StepFreeProgram run;
  CHECK(run.Run([](StepFreeProgram* one, int64_t i) {
             one->nanoseconds = i < kEvents * 9 / 10 ? 1000 : 1'000'000'000;
             one->Use(8 * kMiB);
             if (i < kEvents * 9 / 10 && i % 8 == 0) one->Get(1, kMiB);
           })
            .empty());
}

}  // namespace
}  // namespace inquest::memory
