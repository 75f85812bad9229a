// SPDX-License-Identifier: Apache-2.0
// The replay on small histories with a known answer.
#include "analyzer/memory/replay/replay.h"

#include <optional>

#include "base/units.h"
#include "tests/catch_compat.h"
#include "trace/records/event.h"

namespace inquest::memory {
namespace {

using trace::MemoryKind;
using trace::MemoryOp;

class History {
 public:
  History()
      : sites_([](int64_t stack) {
          Frame frame;
          frame.function = std::to_string(stack);
          return std::vector<Frame>{frame};
        }),
        replay_(&sites_) {}

  History& Do(MemoryOp op, uint64_t address, int64_t bytes, int result = 0,
              MemoryKind kind = MemoryKind::kDevice, uint64_t mapped = 0) {
    MemoryEvent event;
    event.id = ++next_;
    event.time = next_ * 1000;
    event.op = static_cast<int>(op);
    event.kind = static_cast<int>(kind);
    event.device = 0;
    event.context = 1;
    event.address = address;
    event.bytes = bytes;
    event.result = result;
    event.stack = stack_.value_or(static_cast<int64_t>(address));
    event.mapped = mapped;
    replay_.Add(event);
    return *this;
  }
  // The call stack of what follows; 0: none is recorded.
  History& From(int64_t stack) {
    stack_ = stack;
    return *this;
  }
  Replay& replay() { return replay_; }
  const DeviceState& device() { return replay_.devices().at(0); }

 private:
  SiteTable sites_;
  Replay replay_;
  int64_t next_ = 0;
  std::optional<int64_t> stack_;
};

TEST_CASE("physical memory stays while a mapping or a handle holds it") {
  History history;
  const auto physical = [&](MemoryOp op, uint64_t address, uint64_t of = 0) {
    history.Do(op, address, op == MemoryOp::kFree ? 0 : kMiB, 0,
               MemoryKind::kPhysical, of);
    return history.device().live_bytes();
  };
  constexpr uint64_t kHandle = 77;
  CHECK(physical(MemoryOp::kAlloc, kHandle) == kMiB);
  CHECK(physical(MemoryOp::kMap, 0x10000000, kHandle) == kMiB);
  CHECK(physical(MemoryOp::kRetain, kHandle) == kMiB);
  CHECK(physical(MemoryOp::kFree, kHandle) == kMiB);
  CHECK(physical(MemoryOp::kFree, kHandle) == kMiB);
  CHECK(physical(MemoryOp::kUnmap, 0x10000000) == 0);
  CHECK(history.replay().faults().all().empty());
}

TEST_CASE("handles are not addresses: the next one may be the next number") {
  History history;
  for (uint64_t handle = 1; handle <= 3; ++handle) {
    history.Do(MemoryOp::kAlloc, handle, 64 * kMiB, 0, MemoryKind::kPhysical);
    history.Do(MemoryOp::kAlloc, 0x5500 + 64 * handle, kMiB, 0,
               MemoryKind::kArray);
  }
  CHECK(history.device().live_bytes() == 3 * 65 * kMiB);
  history.Do(MemoryOp::kFree, 2, 0, 0, MemoryKind::kPhysical);
  CHECK(history.device().live_bytes() == 3 * 65 * kMiB - 64 * kMiB);
  CHECK(history.replay().faults().all().empty());
  history.Do(MemoryOp::kAlloc, 3, kMiB, 0, MemoryKind::kPhysical);
  CHECK(history.replay().faults().all().size() == 1);
}

TEST_CASE("a refusal has the heap of that moment") {
  History history;
  for (uint64_t i = 0; i < 8; ++i) {
    history.Do(MemoryOp::kAlloc, 0x1000000 + i * kMiB, kMiB);
  }
  for (uint64_t i = 0; i < 8; i += 2) {
    history.Do(MemoryOp::kFree, 0x1000000 + i * kMiB, 0);
  }
  history.Do(MemoryOp::kAlloc, 0, 2 * kMiB, 2);
  REQUIRE(history.replay().refusals().size() == 1);
  const Refusal& refusal = history.replay().refusals()[0];
  CHECK(refusal.live_bytes == 4 * kMiB);
  CHECK(refusal.gaps.total == 4 * kMiB);
  CHECK(refusal.gaps.largest == kMiB);
  CHECK(refusal.gaps.count == 4);
  CHECK(refusal.heap.size() == 8);
  CHECK_FALSE(refusal.survived);
  CHECK(history.device().peak_bytes == 8 * kMiB);
}

TEST_CASE("a refusal is survived if its site gets half of it later") {
  History history;
  constexpr int64_t kStep = 1;
  constexpr int64_t kSave = 2;
  const auto survived = [&] { return history.replay().refusals()[0].survived; };
  history.From(kStep).Do(MemoryOp::kAlloc, 0, 4 * kMiB, 2);
  history.From(kSave).Do(MemoryOp::kAlloc, 0x1000000, 8 * kMiB);
  CHECK_FALSE(survived());
  history.From(kStep).Do(MemoryOp::kAlloc, 0x2000000, kMiB);
  CHECK_FALSE(survived());
  history.From(kStep).Do(MemoryOp::kAlloc, 0x3000000, 2 * kMiB);
  CHECK(survived());
}

TEST_CASE("without stacks a refusal is survived by a request for as much") {
  History history;
  history.From(0);
  const auto survived = [&] { return history.replay().refusals()[0].survived; };
  history.Do(MemoryOp::kAlloc, 0, 4 * kMiB, 2);
  history.Do(MemoryOp::kAlloc, 0x1000000, 8 * kMiB);  // a checkpoint
  CHECK_FALSE(survived());
  history.Do(MemoryOp::kAlloc, 0x2000000, 2 * kMiB);
  CHECK_FALSE(survived());
  history.Do(MemoryOp::kAlloc, 0x3000000, 4 * kMiB);
  CHECK(survived());
}

TEST_CASE("a refusal is survived if most of the work follows") {
  History history;
  const auto work = [&](int times) {
    for (int i = 0; i < times; ++i) {
      history.From(2).Do(MemoryOp::kAlloc, 0x5000, kMiB);
      history.From(2).Do(MemoryOp::kFree, 0x5000, 0);
    }
    history.replay().SurviveWork();
  };
  const auto survived = [&](size_t refusal) {
    return history.replay().refusals()[refusal].survived;
  };
  history.From(1).Do(MemoryOp::kAlloc, 0, 1024 * kMiB, 2);
  work(63);
  CHECK_FALSE(survived(0));
  work(40);
  CHECK(survived(0));
  // What follows another one may be a checkpoint that is saved.
  history.From(1).Do(MemoryOp::kAlloc, 0, 1024 * kMiB, 2);
  work(100);
  CHECK_FALSE(survived(1));
  work(3);
  CHECK(survived(1));
}

TEST_CASE("a refusal is survived if whole steps follow") {
  History history;
  history.Do(MemoryOp::kAlloc, 0, 4 * kMiB, 2);  // at 1000
  history.replay().SurviveSteps({900, 1500, 2500});
  CHECK_FALSE(history.replay().refusals()[0].survived);
  history.replay().SurviveSteps({900, 1500, 2500, 3500});
  CHECK(history.replay().refusals()[0].survived);
}

TEST_CASE("a failed free is undone, another error is not a refusal") {
  History history;
  history.Do(MemoryOp::kAlloc, 0x1000000, kMiB);
  history.Do(MemoryOp::kFree, 0x1000000, 0);
  history.Do(MemoryOp::kFreeFailed, 0x1000000, 0, 700);
  history.Do(MemoryOp::kAlloc, 0, kMiB, 700);
  CHECK(history.device().live_bytes() == kMiB);
  CHECK(history.replay().refusals().empty());
  CHECK(history.device().failed == 1);
}

TEST_CASE("a destroyed context frees its memory") {
  History history;
  history.Do(MemoryOp::kAlloc, 0x1000000, kMiB);
  history.Do(MemoryOp::kAlloc, 7, kMiB, 0, MemoryKind::kArray);
  CHECK(history.device().live_bytes() == 2 * kMiB);
  history.Do(MemoryOp::kContextDestroy, 0, 0);
  CHECK(history.device().live_bytes() == 0);
}

TEST_CASE("blocks of a framework's pool are not counted twice") {
  History history;
  history.Do(MemoryOp::kAlloc, 0x1000000, 8 * kMiB);
  history.Do(MemoryOp::kAlloc, 0x1000000, kMiB, 0, MemoryKind::kFramework);
  CHECK(history.device().live_bytes() == 8 * kMiB);
  CHECK(history.device().framework.live_bytes() == kMiB);
}

}  // namespace
}  // namespace inquest::memory
