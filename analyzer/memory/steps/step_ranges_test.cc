// SPDX-License-Identifier: Apache-2.0
// Which ranges are the steps, of programs that mark several things.
#include "analyzer/memory/steps/step_ranges.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "tests/catch_compat.h"

namespace inquest::memory {
namespace {

class MarkedProgram {
 public:
  MarkedProgram& Range(const std::string& name, int64_t begin, int64_t end,
                       int64_t thread = 1) {
    ranges_.push_back({name, begin, end, thread});
    return *this;
  }
  // The names of the chosen ranges, and whether they are certain.
  std::pair<std::vector<std::string>, bool> Steps() {
    std::ranges::stable_sort(ranges_, {}, &NamedRange::begin);
    const StepChoice choice = ChooseSteps(ranges_);
    std::vector<std::string> names;
    for (const size_t i : choice.ranges) names.push_back(ranges_[i].name);
    return {names, choice.certain};
  }
  std::vector<NamedRange>& ranges() { return ranges_; }

 private:
  std::vector<NamedRange> ranges_;
};

using Names = std::vector<std::string>;

TEST_CASE(
    "neither the training around the steps nor the parts in them are steps") {
  MarkedProgram program;
  program.Range("training", 0, 1000);
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t at = 300 * i;
    program.Range("epoch " + std::to_string(i), at, at + 290);
    program.Range("Step " + std::to_string(2 * i), at, at + 140);
    program.Range("optimizer_step", at + 120, at + 140);
    program.Range("Step " + std::to_string(2 * i + 1), at + 145, at + 280);
    program.Range("aten::add, op_id = 4", at + 145, at + 280);
    program.Range("batch loader", at, at + 290, 2 + i);
  }
  CHECK(program.Steps() == std::pair(Names{"Step 0", "Step 1", "Step 2",
                                           "Step 3", "Step 4", "Step 5"},
                                     true));
}

TEST_CASE("a step in which the program died is one of them") {
  MarkedProgram program;
  program.Range("step 1", 0, 10).Range("step 2", 10, 20);
  program.ranges().push_back({"step 3", 20, {}, 1});
  CHECK(program.Steps().first == Names{"step 1", "step 2", "step 3"});
}

TEST_CASE("marks cover the time up to the next one") {
  MarkedProgram program;
  for (int64_t i = 0; i < 5; ++i) {
    program.Range("iteration", 100 * i, 100 * i);
    program.Range("optimizer step", 100 * i + 50, 100 * i + 60);
  }
  CHECK(program.Steps().first == Names(5, "iteration"));
}

TEST_CASE("epochs and other series are a substitute") {
  MarkedProgram program;
  for (int64_t i = 0; i < 4; ++i) {
    program.Range("forward", 100 * i, 100 * i + 35);
    program.Range("backward", 100 * i + 36, 100 * i + 90);
  }
  CHECK(program.Steps() == std::pair(Names(4, "backward"), false));
  program.Range("epoch 1", 0, 400);
  CHECK(program.Steps() == std::pair(Names{"epoch 1"}, false));
}

TEST_CASE("ranges that do not repeat or are rare are not steps") {
  CHECK(MarkedProgram().Range("training", 0, 100).Steps().first.empty());
  CHECK(MarkedProgram().Steps().first.empty());
  MarkedProgram rare;
  for (int64_t i = 0; i < 9; ++i) rare.Range("save", 100 * i, 100 * i + 20);
  CHECK(rare.Steps().first.empty());
}

TEST_CASE("loaders, autotuners, layers and parts are not steps") {
  for (const char* name :
       {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
        "CachingAutotuner.benchmark_all_configs", "layer_3", "h.11",
        "lr_scheduler.step", "Optimizer.zero_grad#AdamW.zero_grad",
        "optimizer_step"}) {
    CHECK(RoleOfRange(name) == RangeRole::kNoStep);
  }
  CHECK(RoleOfRange("ProfilerStep#3") == RangeRole::kProfilerStep);
  CHECK(RoleOfRange("train_step") == RangeRole::kStep);
  CHECK(RoleOfRange("Batch 7") == RangeRole::kStep);
  CHECK(RoleOfRange("epoch 3") == RangeRole::kEpoch);
}

TEST_CASE("an optimizer's own marks are the ends of steps, unless others are") {
  MarkedProgram program;
  for (int64_t i = 0; i < 4; ++i) {
    program.Range("Optimizer.step#AdamW.step", 100 * i + 80, 100 * i + 95);
  }
  std::ranges::stable_sort(program.ranges(), {}, &NamedRange::begin);
  const StepChoice ends = ChooseSteps(program.ranges());
  CHECK(ends.ranges.size() == 4);
  CHECK(ends.certain);
  CHECK(ends.are_ends);
  for (int64_t i = 0; i < 4; ++i) {
    program.Range("ProfilerStep#1", 100 * i, 100 * i + 99);
    program.Range("step", 100 * i, 100 * i + 100);
  }
  CHECK(program.Steps() == std::pair(Names(4, "ProfilerStep#1"), true));
}

TEST_CASE("operations alone are not steps") {
  MarkedProgram program;
  for (int64_t i = 0; i < 100; ++i) {
    program.Range("aten::batch_norm, op_id = 5", 10 * i, 10 * i + 9);
    program.Range("ncclAllReduce", 10 * i, 10 * i + 9, 2);
  }
  CHECK(program.Steps().first.empty());
}

TEST_CASE("the steps are those that cover the most, counted one by one") {
  std::mt19937 dice(20261122);
  const Names series{"step", "train_step", "batch", "iteration"};
  for (int round = 0; round < 300; ++round) {
    MarkedProgram program;
    std::map<std::string, std::set<int64_t>> moments;
    for (int i = 0; i < 30; ++i) {
      const auto& name = series[dice() % series.size()];
      const int64_t begin = dice() % 500;
      const int64_t end = begin + 1 + dice() % 40;
      program.Range(name, begin, end);
      for (int64_t at = begin; at < end; ++at) moments[name].insert(at);
    }
    size_t most = 0;
    for (const auto& [name, covered] : moments) {
      most = std::max(most, covered.size());
    }
    const Names chosen = program.Steps().first;
    REQUIRE(!chosen.empty());
    CHECK(moments[chosen.front()].size() == most);
    CHECK(std::ranges::count(program.ranges(), chosen.front(),
                             &NamedRange::name) == std::ssize(chosen));
  }
}

}  // namespace
}  // namespace inquest::memory
