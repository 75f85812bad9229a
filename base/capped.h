// SPDX-License-Identifier: Apache-2.0
// Sums of numbers from untrusted traces: at the ends of the range they stop
// instead of overflowing. Header-only, because the collector uses it too.
#pragma once

#include <cstdint>
#include <limits>

namespace inquest {

constexpr int64_t AddCapped(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? std::numeric_limits<int64_t>::min()
               : std::numeric_limits<int64_t>::max();
}

constexpr int64_t SubtractCapped(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? std::numeric_limits<int64_t>::max()
               : std::numeric_limits<int64_t>::min();
}

}  // namespace inquest
