// SPDX-License-Identifier: Apache-2.0
// Replays a made-up history of N requests under each allocator model and prints
// the seconds as JSON, and as the floor the time to insert the same requests
// into one ordered set and to remove them. Equal arguments give equal
// histories. Usage: bench_whatif REQUESTS TIMES
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/whatif/trials/simulate.h"

namespace {

using namespace inquest;
using namespace inquest::whatif;

constexpr size_t kStep = 4000;  // requests

// Weights that stay, and steps whose tensors are allocated and freed in no
// strict order.
History MadeUp(size_t requests) {
  History history;
  std::mt19937_64 random(7);
  std::vector<uint32_t> live;
  const auto allocate = [&](int64_t bytes) {
    const auto block = static_cast<uint32_t>(history.sites.size());
    history.sites.push_back(0);
    history.requests.push_back({bytes, block, 0, Op::kAllocate});
    return block;
  };
  const auto size = [&]() -> int64_t {
    const uint64_t kind = random() % 10;
    if (kind < 6) return 256 + static_cast<int64_t>(random() % (1 << 19));
    if (kind < 9) return (1 << 20) + static_cast<int64_t>(random() % (8 << 20));
    return (10 << 20) + static_cast<int64_t>(random() % (40 << 20));
  };
  for (int i = 0; i < 500; ++i) allocate(size());
  while (history.requests.size() < requests) {
    for (size_t i = 0; i < kStep / 2; ++i) {
      live.push_back(allocate(size()));
      if (live.size() < 300) continue;
      std::swap(live[random() % live.size()], live.back());
      history.requests.push_back({0, live.back(), 0, Op::kFree});
      live.pop_back();
    }
  }
  history.requests.resize(requests);
  history.persistent.assign(history.sites.size(), false);
  return history;
}

double Seconds(const std::function<void()>& work, int times) {
  std::vector<double> taken;
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    taken.push_back(time.count());
  }
  std::sort(taken.begin(), taken.end());
  return taken[taken.size() / 2];
}

void Floor(const History& history) {
  std::set<std::pair<int64_t, uint32_t>> live;
  std::vector<int64_t> sizes(history.sites.size());
  for (const Request& request : history.requests) {
    if (request.op == Op::kAllocate) {
      sizes[request.block] = request.bytes;
      live.emplace(request.bytes, request.block);
    } else {
      live.erase({sizes[request.block], request.block});
    }
  }
}

struct Case {
  const char* name;
  Setup setup;
};

std::vector<Case> Cases() {
  std::vector<Case> models(6);
  models[0] = {"cudaMalloc", {}};
  models[0].setup.model = Model::kCudaMalloc;
  models[1] = {"PyTorch", {}};
  models[2] = {"PyTorch, expandable_segments", {}};
  models[2].setup.torch.expandable_segments = true;
  models[3] = {"PyTorch, max_split_size_mb:64", {}};
  models[3].setup.torch.max_split_size = 64 << 20;
  models[4] = {"BFC, allow_growth", {}};
  models[4].setup.model = Model::kBfc;
  models[4].setup.bfc.allow_growth = true;
  models[5] = {"cudaMallocAsync", {}};
  models[5].setup.model = Model::kAsync;
  return models;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const History history = MadeUp(strtoull(argv[1], nullptr, 10));
  const int times = std::max(1, atoi(argv[2]));
  printf("{\"floor\": %.4f, \"models\": {",
         Seconds([&] { Floor(history); }, times));
  const char* comma = "";
  for (const Case& model : Cases()) {
    // With room for all, and with so little that it has to release memory.
    const Outcome all = Simulate(history, model.setup, kBoundless);
    if (!all.ok()) return 1;  // the time would be that of a part
    const int64_t tight = all.totals.peak_reserved;
    printf("%s\"%s\": [%.4f, %.4f]", comma, model.name,
           Seconds([&] { Simulate(history, model.setup, kBoundless); }, times),
           Seconds([&] { Simulate(history, model.setup, tight); }, times));
    comma = ", ";
  }
  printf("}}\n");
  return 0;
}
