// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/history/history_builder.h"
#include "analyzer/whatif/models/test_streams.h"
#include "analyzer/whatif/trials/simulate.h"
#include "tests/catch_compat.h"

namespace inquest::whatif {
namespace {

struct Told {
  HistoryBuilder builder{[](int64_t) { return std::vector<memory::Frame>(); },
                         1, 0};
  History Finish() { return builder.Finish(); }
  void Allocate(uint64_t address, int64_t bytes, const QueueKey& queue = {}) {
    builder.Allocate(address, bytes, queue, 0);
  }
};

std::vector<Op> Ops(const History& history) {
  std::vector<Op> ops;
  for (const Request& request : history.requests) ops.push_back(request.op);
  return ops;
}

TEST_CASE("history: the run died of the last request that was never granted") {
  Told told;
  told.builder.Refuse(100, {}, 1000);
  told.Allocate(1, 100);  // as much was granted later
  told.builder.Refuse(300, {}, 2000);
  told.builder.Refuse(400, {}, 3000);
  told.Allocate(2, 350);
  const History history = told.Finish();
  CHECK(Ops(history) == std::vector<Op>{Op::kRefusedInPassing, Op::kAllocate,
                                        Op::kRefusedInPassing, Op::kRefused,
                                        Op::kAllocate});
  CHECK(history.died == 3);
  CHECK(history.room.bytes == 3000);
  CHECK(history.refusals == 3);
}

TEST_CASE("history: a failed free is undone") {
  Told told;
  told.Allocate(1, 100);
  told.builder.Free(1);
  told.builder.UndoFree(1);
  told.Allocate(2, 50);
  const History history = told.Finish();
  CHECK(Ops(history) == std::vector<Op>{Op::kAllocate, Op::kAllocate});
  CHECK(history.recorded.peak_allocated == 150);
}

TEST_CASE("history: segments released on request, or for the next one") {
  Told told;
  told.builder.AddSegment(10 * kMiB, 4 * kMiB);
  told.builder.AddSegment(20 * kMiB, 6 * kMiB);
  told.builder.RemoveSegment(10 * kMiB);
  told.Allocate(20 * kMiB, 2 * kMiB);
  told.builder.RemoveSegment(20 * kMiB);
  told.builder.AddSegment(30 * kMiB, 8 * kMiB);
  const History history = told.Finish();
  REQUIRE(Ops(history) ==
          std::vector<Op>{Op::kEmptyCache, Op::kAllocate, Op::kEmptyCache});
  CHECK(history.requests[0].bytes == 0);
  CHECK(history.requests[2].bytes == 14 * kMiB);
  CHECK(history.recorded.peak_reserved == 10 * kMiB);
}

TEST_CASE(
    "history: blocks that outlive a step last, and blocks of the same size") {
  Told told;
  told.Allocate(1, 5000);  // weights
  told.builder.BeginSteps();
  told.Allocate(2, 700);   // of a step
  told.Allocate(3, 5000);  // a gradient
  told.builder.Free(2);
  told.builder.Free(3);
  told.builder.EndStep(0);
  told.Allocate(4, 800);  // of the unfinished step
  const History history = told.Finish();
  CHECK(history.persistent == std::vector<bool>{true, false, true, false});
  CHECK(history.steps == 1);
}

TEST_CASE("history: before the first step ends, blocks from before it last") {
  Told told;
  told.Allocate(1, 5000);
  told.builder.BeginSteps();
  told.Allocate(2, 700);
  const History history = told.Finish();
  CHECK(history.persistent == std::vector<bool>{true, false});
  CHECK(history.persistence == "memory from before the first step stays");
}

TEST_CASE("history: earlier blocks keep their places and their rests") {
  Told told;
  const uint64_t large = 100 * kMiB;
  const uint64_t small = 200 * kMiB;
  told.builder.AddSegmentBefore(large, 20 * kMiB, false);
  told.builder.AddSegmentBefore(small, 2 * kMiB, false);
  told.builder.AddBlockBefore(large, 5 * kMiB, 0);  // 1 MiB after it: its rest
  told.builder.AddBlockBefore(large + 6 * kMiB, 4 * kMiB, 0);
  told.builder.AddBlockBefore(small + 512, 100, 0);
  told.builder.Free(large);  // the free shows whose segment it was
  told.Allocate(large, 3 * kMiB, {7, 0});
  const History history = told.Finish();
  REQUIRE(history.segments.size() == 2);
  CHECK_FALSE(history.segments[0].small);
  CHECK(history.segments[1].small);
  CHECK(history.segments[0].queue != history.segments[1].queue);
  REQUIRE(history.placed[0].size() == 2);
  CHECK(history.placed[0][0].bytes == 6 * kMiB);
  CHECK(history.placed[0][1].bytes == 4 * kMiB);
  CHECK(history.placed[1][0].bytes == 512);
  Setup setup;
  setup.place = true;
  const Outcome outcome = Simulate(history, setup, kBoundless);
  CHECK(outcome.ok());
  CHECK(outcome.totals.reserved == 22 * kMiB);
  CHECK(outcome.totals.allocated == 7 * kMiB + 512);
}

TEST_CASE("history: leaks are held at their level of the first step") {
  Told told;
  for (int64_t step = 0; step < 10; ++step) {
    told.Allocate(static_cast<uint64_t>(step + 1) << 30, 30 * kMiB);
    told.builder.EndStep(step);
  }
  History history = told.Finish();
  history.leaks.push_back({0, 2, 0, "remember"});
  Setup setup;
  CHECK(Simulate(history, setup, kBoundless).totals.allocated == 300 * kMiB);
  setup.hold_leaks = true;
  const Outcome held = Simulate(history, setup, kBoundless);
  CHECK(held.totals.allocated == 90 * kMiB);
  CHECK(held.totals.peak_allocated == 120 * kMiB);
}

TEST_CASE("history: the smallest device, to a page") {
  Told told;
  told.Allocate(1 << 30, 30 * kMiB);
  told.Allocate(2 << 30, 50 * kMiB);
  told.builder.Free(1 << 30);
  told.Allocate(3 << 30, 40 * kMiB);
  const History history = told.Finish();
  const Setup setup;
  CHECK(MinCapacity(history, setup, 0, 200 * kMiB) == 90 * kMiB);
  CHECK(Simulate(history, setup, 90 * kMiB).ok());
  const Outcome less = Simulate(history, setup, 88 * kMiB);
  REQUIRE(less.refused);
  CHECK(less.refused->request == 3);
  CHECK(less.refused->bytes == 40 * kMiB);
  CHECK(less.refused->reserved == 50 * kMiB);
}

}  // namespace
}  // namespace inquest::whatif
