// SPDX-License-Identifier: Apache-2.0
#include "collector/core/new_threads.h"

#include <atomic>
#include <thread>

#include "tests/catch_compat.h"
#include "trace/journal/process_clock.h"

namespace inquest::collector {
namespace {

#ifndef __SANITIZE_THREAD__
TEST_CASE("a thread that has just begun is new, one that has ended is not") {
  const int64_t begin = trace::MonotonicNs();
  std::atomic<bool> stop{false};
  std::thread thread([&] {
    while (!stop.load()) std::this_thread::yield();
  });
  CHECK(IsAThreadNew(begin));
  CHECK_FALSE(IsAThreadNew(trace::MonotonicNs() + 1'000'000'000));
  stop.store(true);
  thread.join();
  // The kernel takes it off the list a moment after the join.
  while (IsAThreadNew(begin)) std::this_thread::yield();
}
#endif

}  // namespace
}  // namespace inquest::collector
