// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace inquest {
namespace {

constexpr size_t kMaxThreads = 4;

}  // namespace

void InParallel(size_t count, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  const auto take = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  while (others.size() + 1 < std::min({cores, kMaxThreads, count})) {
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
