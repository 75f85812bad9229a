// SPDX-License-Identifier: Apache-2.0
#include "collector/core/new_threads.h"

#include <atomic>
#include <thread>

#include "tests/catch_compat.h"

namespace inquest::collector {
namespace {

TEST_CASE("a thread that has just begun is new, one that has ended is not") {
  std::atomic<bool> stop{false};
  std::thread thread([&] {
    while (!stop.load()) std::this_thread::yield();
  });
  CHECK(IsAThreadNew());
  stop.store(true);
  thread.join();
  // The kernel takes it off the list a moment after the join.
  while (IsAThreadNew()) std::this_thread::yield();
}

}  // namespace
}  // namespace inquest::collector
