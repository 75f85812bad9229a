// SPDX-License-Identifier: Apache-2.0
// How the sieve's table is addressed, for its two halves.
#pragma once

#include <cstdint>
#include <cstring>

namespace inquest::rules::sieve {

// 64 KiB of bits, of which thousands of literals set few: a probe's false hits
// cost more than the second level of the cache. The pieces are found by the
// upper bits alone.
inline constexpr int kBitmapBits = 19;
inline constexpr int kHashBits = 15;

inline uint32_t Load(const char* at) {
  uint32_t bytes;
  std::memcpy(&bytes, at, sizeof(bytes));
  // Folds letters and a few others, which is harmless.
  return bytes | 0x20202020;
}

inline uint32_t BitOf(uint32_t bytes) {
  return bytes * 2654435761U >> (32 - kBitmapBits);
}

inline uint32_t Hash(uint32_t bytes) {
  return BitOf(bytes) >> (kBitmapBits - kHashBits);
}

}  // namespace inquest::rules::sieve
