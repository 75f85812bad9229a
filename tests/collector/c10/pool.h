// SPDX-License-Identifier: Apache-2.0
// A caching allocator as simple as can be: takes segments from the driver,
// hands out pieces of them by first fit, keeps what is freed, and reports each
// step to c10 as PyTorch's does. One device, one thread at a time.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "device.h"

class Pool {
 public:
  // `limit` is what it may hold; 0: as much as the driver gives.
  Pool(c10::Device device, size_t segment, size_t limit)
      : device_(device), segment_(segment), limit_(limit) {}

  // Null when there is no room; then that was reported.
  void* Allocate(size_t bytes);
  void Free(void* block);

 private:
  void* Take(size_t bytes);
  bool Grow(size_t bytes);
  void Report(void* block, long signed_bytes);
  void ReportRefusal(size_t bytes);

  c10::Device device_;
  size_t segment_;
  size_t limit_;
  std::map<char*, size_t> free_;  // by address; neighbours are not joined
  std::map<void*, size_t> live_;
  size_t allocated_ = 0;
  size_t reserved_ = 0;
};
