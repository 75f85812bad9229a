// SPDX-License-Identifier: Apache-2.0
// What counts as an earlier run of the same process: made-up programs, each
// played block by block.
#include "analyzer/memory/refusals/earlier_run.h"

#include <string>
#include <utility>
#include <vector>

#include "analyzer/memory/refusals/earlier_range.h"
#include "base/units.h"
#include "tests/catch_compat.h"

namespace inquest::memory {
namespace {

// A program on one device. What it keeps is held at the refusal.
class TwoRuns {
 public:
  // A function of `function`, called through `caller`.
  size_t Code(const std::string& function, const std::string& caller) {
    Site site;
    for (const std::string& name : {function, caller}) {
      site.frames.emplace_back().function = name;
    }
    sites_.push_back(site);
    return sites_.size() - 1;
  }
  TwoRuns& Keep(size_t site, int64_t bytes, int times = 1) {
    for (int i = 0; i < times; ++i) {
      ++sites_[site].allocations;
      held_.blocks.push_back(Block(site, bytes));
    }
    return *this;
  }
  // From before the record.
  TwoRuns& Older(size_t site, int64_t bytes, int times = 1) {
    for (int i = 0; i < times; ++i) {
      ++sites_[site].allocations;
      held_.blocks.push_back({site, 1 + static_cast<int64_t>(site), bytes});
    }
    return *this;
  }
  TwoRuns& Unknown(size_t site, int64_t bytes, int times) {
    Older(site, bytes, times);
    for (HeldBlock& one : held_.blocks) one.stack = 0;
    return *this;
  }
  TwoRuns& Scratch(size_t site, int times) {
    sites_[site].allocations += times;
    sites_[site].frees += times;
    event_ += 2 * times;
    return *this;
  }
  // Numbers that records of another kind take.
  TwoRuns& Skip(int64_t numbers) {
    event_ += numbers;
    skips_.emplace_back(event_, numbers);
    return *this;
  }
  std::optional<EarlierRun> Ask(size_t site, int64_t bytes) {
    held_.refused = Block(site, bytes);
    held_.events_before = [this](int64_t event) {
      for (const auto& [from, numbers] : skips_) {
        if (event > from) event -= numbers;
      }
      return static_cast<double>(event);
    };
    return FindEarlierRun(held_, sites_);
  }

 private:
  HeldBlock Block(size_t site, int64_t bytes) {
    ++event_;
    return {site, static_cast<int64_t>(site), bytes, event_, event_ * 1000};
  }

  std::vector<Site> sites_;
  std::vector<std::pair<int64_t, int64_t>> skips_;
  HeldAtRefusal held_;
  int64_t event_ = 0;
};

TEST_CASE("what the first of two runs holds is found") {
  TwoRuns program;
  const size_t first = program.Code("Linear", "first_run");
  const size_t second = program.Code("Linear", "second_run");
  const size_t work = program.Code("Forward", "train");
  for (int64_t size : {64, 32, 16}) program.Keep(first, size * kMiB);
  program.Scratch(work, 500);
  program.Keep(second, 64 * kMiB).Keep(second, 32 * kMiB);
  const auto run = program.Ask(second, 16 * kMiB);
  REQUIRE(run);
  CHECK(run->bytes == 112 * kMiB);
  CHECK(run->blocks == 3);
  CHECK(run->same_sizes);
  CHECK(run->earlier.site == first);
  CHECK(run->later.site == second);
}

TEST_CASE("records of other kinds in the middle of a run are no work") {
  TwoRuns program;
  const size_t first = program.Code("Linear", "first_run");
  const size_t second = program.Code("Linear", "second_run");
  const size_t work = program.Code("Forward", "train");
  program.Keep(first, 64 * kMiB, 4).Scratch(work, 500);
  program.Keep(second, 64 * kMiB, 2).Skip(2000).Keep(second, 64 * kMiB);
  const auto run = program.Ask(second, 64 * kMiB);
  REQUIRE(run);
  CHECK(run->blocks == 4);
}

TEST_CASE("the third trial finds what both before it hold") {
  TwoRuns program;
  const size_t model = program.Code("Model", "objective");
  const size_t state = program.Code("Adam", "objective");
  const size_t work = program.Code("Forward", "train");
  for (const int64_t width : {20, 30}) {
    program.Keep(model, width * kMiB, 4).Scratch(work, 40);
    program.Keep(state, width * kMiB, 8).Scratch(work, 400);
  }
  program.Keep(model, 40 * kMiB, 3);
  const auto run = program.Ask(model, 40 * kMiB);
  REQUIRE(run);
  CHECK(run->bytes == 12 * (20 + 30) * kMiB);
  CHECK_FALSE(run->same_sizes);
}

TEST_CASE("data that was loaded before the first run is not counted") {
  TwoRuns program;
  const size_t data = program.Code("Load", "main");
  const size_t model = program.Code("Model", "fold");
  const size_t work = program.Code("Forward", "train");
  program.Keep(data, 500 * kMiB).Scratch(work, 200);
  program.Keep(model, 100 * kMiB, 5).Scratch(work, 500);
  const auto run = program.Ask(model, 100 * kMiB);
  REQUIRE(run);
  CHECK(run->bytes == 500 * kMiB);
  CHECK(run->blocks == 5);
}

TEST_CASE("no run: layers, another network, a step made anew, a leak") {
  TwoRuns program;
  const size_t layer = program.Code("Linear", "Generator");
  const size_t other = program.Code("Linear", "Discriminator");
  const size_t work = program.Code("Forward", "train");
  const size_t leak = program.Code("Remember", "train");
  program.Keep(layer, 10 * kMiB, 24);
  CHECK_FALSE(program.Ask(layer, 10 * kMiB));
  program.Scratch(work, 500);
  CHECK_FALSE(program.Ask(other, 7 * kMiB));
  program.Keep(work, 90 * kMiB).Scratch(work, 500);
  CHECK_FALSE(program.Ask(work, 90 * kMiB));
  for (int step = 0; step < 20; ++step) {
    program.Keep(leak, kMiB).Scratch(work, 60);
  }
  CHECK_FALSE(program.Ask(leak, kMiB));
}

TEST_CASE("what is older than the record is an earlier run of the same code") {
  TwoRuns program;
  const size_t data = program.Code("Load", "main");
  const size_t model = program.Code("Model", "fold");
  const size_t state = program.Code("Adam", "fold");
  const size_t work = program.Code("Forward", "train");
  program.Older(data, 500 * kMiB).Older(model, 100 * kMiB, 5);
  program.Older(state, 100 * kMiB, 10).Scratch(work, 500);
  program.Keep(model, 100 * kMiB, 5).Scratch(work, 10);
  program.Keep(state, 100 * kMiB, 3);
  const auto run = program.Ask(state, 100 * kMiB);
  REQUIRE(run);
  CHECK(run->bytes == 1500 * kMiB);
  CHECK(run->blocks == 15);
  CHECK(run->older);
}

TEST_CASE("no run: older blocks of a leak, or of layers with no work between") {
  TwoRuns leaking;
  const size_t leak = leaking.Code("Remember", "train");
  const size_t work = leaking.Code("Forward", "train");
  leaking.Older(leak, kMiB, 900);
  for (int step = 0; step < 3; ++step) {
    leaking.Keep(leak, kMiB).Scratch(work, 60);
  }
  CHECK_FALSE(leaking.Ask(leak, kMiB));
  TwoRuns building;
  const size_t layer = building.Code("Linear", "Model");
  building.Older(layer, 10 * kMiB, 12).Keep(layer, 10 * kMiB, 11);
  CHECK_FALSE(building.Ask(layer, 10 * kMiB));
}

TEST_CASE("no run: older blocks of which nobody knows who made them") {
  TwoRuns program;
  const size_t model = program.Code("(no stack recorded)", "");
  const size_t work = program.Code("Forward", "train");
  program.Unknown(model, 100 * kMiB, 5).Scratch(work, 500);
  CHECK_FALSE(program.Ask(model, 100 * kMiB));
}

HeldAtRefusal HeldAt(std::initializer_list<std::pair<int64_t, int64_t>> all) {
  HeldAtRefusal held;
  for (const auto& [time, bytes] : all) {
    held.blocks.push_back({0, 0, bytes, time, time});
  }
  held.refused = {1, 1, kMiB, 95, 95};
  return held;
}

TEST_CASE("runs of different code are told by ranges that the program named") {
  const HeldAtRefusal held =
      HeldAt({{5, kMiB}, {15, 3 * kMiB}, {25, 2 * kMiB}, {55, kMiB}});
  const std::vector<RunRange> folds = {
      {"fold 0", 10, 40}, {"fold 1", 50, 80}, {"fold 2", 90, {}}};
  const auto found = FindEarlierRange(held, folds);
  REQUIRE(found);
  CHECK(found->name == "fold 0");
  CHECK(found->later_name == "fold 2");
  CHECK(found->run.bytes == 5 * kMiB);
  CHECK(found->run.blocks == 2);
  CHECK(found->run.earlier.bytes == 3 * kMiB);
  CHECK(found->run.begin == 15);
  CHECK(found->run.end == 25);
}

TEST_CASE("ranges that are no runs tell nothing") {
  const HeldAtRefusal held = HeldAt({{15, 3 * kMiB}});
  CHECK_FALSE(FindEarlierRange(held, {{"step 0", 10, 40}, {"step 1", 90, {}}}));
  CHECK_FALSE(FindEarlierRange(held, {{"fold 0", 10, 40}}));
  // They overlap, or the request came after the last of them.
  CHECK_FALSE(FindEarlierRange(held, {{"fold 0", 10, 92}, {"fold 1", 90, {}}}));
  CHECK_FALSE(FindEarlierRange(held, {{"fold 0", 10, 40}, {"fold 1", 50, 80}}));
  // The first let go of all that it made.
  CHECK_FALSE(FindEarlierRange(HeldAt({{5, kMiB}}),
                               {{"fold 0", 10, 40}, {"fold 1", 90, {}}}));
  // A handle's workspace beside the weights of all folds.
  CHECK_FALSE(FindEarlierRange(HeldAt({{5, 100 * kMiB}, {15, kMiB}}),
                               {{"fold 0", 10, 40}, {"fold 1", 90, {}}}));
  // So many are a loop.
  std::vector<RunRange> many;
  for (int64_t i = 0; i < 20; ++i) many.push_back({"part", 4 * i, 4 * i + 3});
  many.push_back({"part", 90, {}});
  CHECK_FALSE(FindEarlierRange(held, many));
}

}  // namespace
}  // namespace inquest::memory
