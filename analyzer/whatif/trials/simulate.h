// SPDX-License-Identifier: Apache-2.0
// Runs a history against a model, with a changed device size or demand, and
// finds the smallest device on which every request is granted. For judge.cc and
// trace_reader.cc. A run is O(requests × log live). Sizes are bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "analyzer/whatif/history/history.h"
#include "analyzer/whatif/models/bfc_allocator.h"

namespace inquest::whatif {

enum class Model : uint8_t { kCudaMalloc, kTorch, kBfc, kAsync };

struct Setup {
  Model model = Model::kTorch;
  TorchSettings torch;
  BfcSettings bfc;
  bool place = false;  // earlier blocks keep their recorded addresses
  // Changed demand.
  double scale = 1;         // of memory that lives within a step
  bool hold_leaks = false;  // at their level of the first step
  std::optional<std::pair<uint32_t, int64_t>> resized;  // a block, its bytes
  bool skip_refused = false;  // the request that the run died of is not made
  // Changed device.
  int64_t more_room = 0;
};

struct Refused {
  size_t request = 0;
  int64_t bytes = 0;
  int64_t allocated = 0;
  int64_t reserved = 0;
  int64_t largest_free = 0;
};

struct Outcome {
  Totals totals;                   // at the end
  std::optional<Refused> refused;  // the run ends there
  bool ok() const { return !refused; }
};

// `capacity`: what the device has for these requests.
Outcome Simulate(const History& history, const Setup& setup, int64_t capacity);

// The model after the run, to inspect its segments; filled by Simulate.
struct Simulation {
  std::unique_ptr<Driver> driver;
  std::unique_ptr<Allocator> allocator;
};
Outcome Simulate(const History& history, const Setup& setup, int64_t capacity,
                 Simulation* simulation);

// For a history of requests to the driver: its room is what was held before
// that request, in whole pages, plus `free_bytes`. If a request was refused
// although there were enough pages, large requests need adjacent ones.
void MeasureRoom(History* history, int64_t free_bytes, size_t request);

// The smallest capacity with which all requests are granted, or at most
// `tolerance` more; between `low`, which is too small, and `high`, which is
// sufficient.
int64_t MinCapacity(const History& history, const Setup& setup, int64_t low,
                    int64_t high, int64_t tolerance = kPage);

}  // namespace inquest::whatif
