// SPDX-License-Identifier: Apache-2.0
#include "collector/core/recent_callers.h"

#include <unistd.h>

#include "tests/catch_compat.h"
#include "trace/records/memory_records.h"

namespace inquest::collector {
namespace {

void Call(RecentCallers* callers, uint32_t thread, int64_t time_ns) {
  trace::MemoryRecord record;
  record.thread = thread;
  record.time_ns = time_ns;
  callers->Note(static_cast<uint32_t>(trace::RecordKind::kMemory),
                {reinterpret_cast<const char*>(&record), sizeof record});
}

TEST_CASE("a thread that called lately and is there is at work") {
  const auto self = static_cast<uint32_t>(getpid());
  RecentCallers callers;
  CHECK_FALSE(callers.IsAnotherAtWork(1, 0));
  Call(&callers, self, 50);
  CHECK(callers.IsAnotherAtWork(self + 1, 50));
  CHECK_FALSE(callers.IsAnotherAtWork(self, 50));      // itself
  CHECK_FALSE(callers.IsAnotherAtWork(self + 1, 51));  // long ago
}

TEST_CASE("threads that have ended are not, and the oldest are forgotten") {
  const auto self = static_cast<uint32_t>(getpid());
  constexpr uint32_t kNoThread = 0x7fffff00;
  RecentCallers callers;
  Call(&callers, self, 1);
  for (uint32_t i = 0; i < 15; ++i) Call(&callers, kNoThread + i, 2 + i);
  CHECK(callers.IsAnotherAtWork(1, 0));
  Call(&callers, kNoThread + 20, 99);
  CHECK_FALSE(callers.IsAnotherAtWork(1, 0));
}

TEST_CASE("other records are no calls") {
  RecentCallers callers;
  callers.Note(static_cast<uint32_t>(trace::RecordKind::kMeta), "collector");
  callers.Note(static_cast<uint32_t>(trace::RecordKind::kMemory), "short");
  CHECK_FALSE(callers.IsAnotherAtWork(1, 0));
}

}  // namespace
}  // namespace inquest::collector
