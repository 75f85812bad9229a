// SPDX-License-Identifier: Apache-2.0
// How the sieve's tables are addressed, for its two halves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace inquest::rules::sieve {

// 16 KiB of bits a table: all fit the L1 cache.
inline constexpr int kHashBits = 17;
inline constexpr size_t kStride[3] = {8, 4, 1};

// Of a literal of this length.
inline size_t TableOf(size_t length) {
  return length >= 11 ? 0 : length >= 7 ? 1 : 2;
}

inline uint32_t Load(const char* at) {
  uint32_t bytes;
  std::memcpy(&bytes, at, sizeof(bytes));
  // Folds letters and a few others, which is harmless.
  return bytes | 0x20202020;
}

inline uint32_t Hash(uint32_t bytes) {
  return bytes * 2654435761U >> (32 - kHashBits);
}

}  // namespace inquest::rules::sieve
