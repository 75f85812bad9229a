// SPDX-License-Identifier: Apache-2.0
// Plays a script of requests against an allocator model and prints its state
// after each: what naive_models.py does in another way.
//
//   model_replay MODEL CAPACITY SETTINGS   MODEL: cuda, cuda-one-piece, torch,
//                                          bfc-growth, bfc, async
//
// A line each: "a BLOCK BYTES QUEUE", "f BLOCK", "e". Out: "1" or "0"
// (granted), allocated, reserved, largest free piece, and the segments by
// address.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/whatif/models/async_pool.h"
#include "analyzer/whatif/models/bfc_allocator.h"
#include "analyzer/whatif/models/cuda_malloc.h"
#include "analyzer/whatif/models/torch_allocator.h"

namespace {

using namespace inquest::whatif;

std::unique_ptr<Allocator> Make(const std::string& model,
                                const std::string& text, Driver* driver) {
  const int64_t capacity = driver->capacity();
  if (model == "torch") {
    TorchSettings settings;
    if (!ParseTorchSettings(text, &settings).ok()) return nullptr;
    auto torch = std::make_unique<TorchAllocator>(driver, settings, capacity);
    torch->MarkPrivate(3);
    return torch;
  }
  if (model.rfind("bfc", 0) == 0) {
    return std::make_unique<BfcAllocator>(
        driver, BfcSettings{.limit = capacity, .allow_growth = model != "bfc"});
  }
  if (model == "async") return std::make_unique<AsyncPool>(driver);
  return std::make_unique<CudaMalloc>(driver);
}

void Print(const Allocator& allocator, bool granted) {
  std::vector<std::pair<uint64_t, int64_t>> segments;
  allocator.VisitSegments([&](uint64_t address, int64_t bytes) {
    segments.emplace_back(address, bytes);
  });
  std::sort(segments.begin(), segments.end());
  const Totals& totals = allocator.totals();
  printf("%d %lld %lld %lld", granted ? 1 : 0,
         static_cast<long long>(totals.allocated),
         static_cast<long long>(totals.reserved),
         static_cast<long long>(allocator.LargestFree()));
  for (const auto& [address, bytes] : segments) {
    printf(" %llx:%llx", static_cast<unsigned long long>(address),
           static_cast<unsigned long long>(bytes));
  }
  printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string model = argv[1];
  DriverOptions options;
  options.capacity = strtoll(argv[2], nullptr, 10);
  options.one_piece = model == "cuda-one-piece";
  Driver driver(options);
  const auto allocator = Make(model, argv[3], &driver);
  if (!allocator) return 2;
  char op = 0;
  while (scanf(" %c", &op) == 1) {
    unsigned block = 0;
    long long bytes = 0;
    unsigned queue = 0;
    bool granted = true;
    if (op == 'a' && scanf("%u %lld %u", &block, &bytes, &queue) == 3) {
      granted = allocator->Allocate(block, bytes, static_cast<uint16_t>(queue));
    } else if (op == 'f' && scanf("%u", &block) == 1) {
      allocator->Free(block);
    } else if (op == 'e') {
      allocator->EmptyCache();
    } else {
      return 2;
    }
    Print(*allocator, granted);
  }
  return 0;
}
