// SPDX-License-Identifier: Apache-2.0
// Families of made-up runs with a known answer, for the leak detector: what a
// site holds at the end of each step and its minimum in between. Random, but
// the same for a seed. Every run also has healthy sites.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "analyzer/memory/sites/sites.h"

namespace inquest::memory {

using Random = std::mt19937_64;

struct MadeRun {
  SiteTable sites{[](int64_t stack) {
    Frame frame;
    frame.function = "Site" + std::to_string(stack);
    frame.module = "train";
    return std::vector<Frame>{frame};
  }};
  int64_t steps = 0;
  size_t leaking = 0;         // sites that leak
  double bytes_per_step = 0;  // of the first of them; 0: irregular
  int64_t first_step = 0;
};

struct Family {
  std::string name;
  bool leaks = false;
  std::function<void(Random*, MadeRun*)> make;
};

const std::vector<Family>& Families();

// Site numbers of leaking sites are 1, 2, …; 0 and those above 90 are healthy.
inline constexpr int64_t kFirstLeakingStack = 1;
inline constexpr int64_t kFirstHealthyStack = 90;

}  // namespace inquest::memory
