// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

namespace inquest {
namespace {

constexpr size_t kMaxThreads = 4;

size_t limit = SIZE_MAX;

}  // namespace

size_t Threads(size_t most) {
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::min({cores, limit, most});
}

void LimitThreads(size_t most) {
  limit = most;
}

void InParallel(size_t count, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  const auto take = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  const size_t wanted = std::min(Threads(kMaxThreads), count);
  std::vector<std::thread> others;
  while (others.size() + 1 < wanted) {
    try {
      others.emplace_back(take);
    } catch (const std::system_error&) {
      break;  // a limit on threads: go on with those there are
    }
  }
  take();
  for (std::thread& other : others) other.join();
}

}  // namespace inquest
