// SPDX-License-Identifier: Apache-2.0
// Helpers of the models' tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/whatif/models/allocator.h"

namespace inquest::whatif {

inline constexpr int64_t kKiB = 1 << 10;
inline constexpr int64_t kMiB = 1 << 20;

// Sizes of what it holds, largest first.
inline std::vector<int64_t> Segments(const Allocator& allocator) {
  std::vector<int64_t> sizes;
  allocator.VisitSegments(
      [&](uint64_t, int64_t bytes) { sizes.push_back(bytes); });
  std::sort(sizes.rbegin(), sizes.rend());
  return sizes;
}

}  // namespace inquest::whatif
