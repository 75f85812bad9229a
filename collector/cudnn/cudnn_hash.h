// SPDX-License-Identifier: Apache-2.0
// The 64-bit hashes that identify cuDNN's layers and choices. Equal in every
// process, so ranks can be compared. Not for untrusted keys.
#pragma once

#include <cstdint>
#include <string_view>

namespace inquest::collector {

class CudnnHash {
 public:
  constexpr void Add(uint64_t value) {
    hash_ = (hash_ ^ value) * 0xff51afd7ed558ccdu;
    hash_ ^= hash_ >> 32;
  }
  constexpr void Add(int a, int b) {
    Add(uint64_t{static_cast<uint32_t>(a)} << 32 | static_cast<uint32_t>(b));
  }
  constexpr void Add(std::string_view text) {
    uint64_t word = text.size();
    for (const char c : text) {
      word = (word ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    Add(word);
  }
  constexpr uint64_t value() const { return hash_; }
  // 63 bits, so that it is not negative in SQL; never 0.
  constexpr uint64_t id() const { return hash_ >> 1 == 0 ? 1 : hash_ >> 1; }

 private:
  uint64_t hash_ = 0x9e3779b97f4a7c15u;
};

// For texts that are known when the program is compiled.
constexpr uint64_t HashOf(std::string_view text) {
  CudnnHash hash;
  hash.Add(text);
  return hash.value();
}

}  // namespace inquest::collector
