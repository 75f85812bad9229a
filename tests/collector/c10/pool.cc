// SPDX-License-Identifier: Apache-2.0
#include "pool.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

void Pool::Report(void* block, long signed_bytes) {
#if C10_ERA == 0
  c10::reportMemoryUsageToProfiler(block, signed_bytes, device_);
#else
  c10::reportMemoryUsageToProfiler(block, signed_bytes,
                                   static_cast<c10::Sum>(allocated_),
                                   static_cast<c10::Sum>(reserved_), device_);
#endif
}

void Pool::ReportRefusal(size_t bytes) {
#if C10_ERA != 0
  c10::reportOutOfMemoryToProfiler(static_cast<int64_t>(bytes),
                                   static_cast<c10::Sum>(allocated_),
                                   static_cast<c10::Sum>(reserved_), device_);
#else
  (void)bytes;
#endif
}

void* Pool::Take(size_t bytes) {
  const auto found =
      std::find_if(free_.begin(), free_.end(),
                   [&](const auto& piece) { return piece.second >= bytes; });
  if (found == free_.end()) return nullptr;
  char* block = found->first;
  const size_t rest = found->second - bytes;
  free_.erase(found);
  if (rest > 0) free_[block + bytes] = rest;
  live_[block] = bytes;
  return block;
}

bool Pool::Grow(size_t bytes) {
  const size_t size = std::max(bytes, segment_);
  void* segment = nullptr;
  if (limit_ != 0 && reserved_ + size > limit_) return false;
  if (cudaMalloc(&segment, size) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  free_[static_cast<char*>(segment)] = size;
  reserved_ += size;
  return true;
}

void* Pool::Allocate(size_t bytes) {
  void* block = Take(bytes);
  if (block == nullptr && Grow(bytes)) block = Take(bytes);
  if (block == nullptr) {
    ReportRefusal(bytes);
    return nullptr;
  }
  allocated_ += bytes;
  Report(block, static_cast<long>(bytes));
  return block;
}

void Pool::Free(void* block) {
  const auto found = live_.find(block);
  if (found == live_.end()) return;  // it was refused
  const size_t bytes = found->second;
  live_.erase(found);
  free_[static_cast<char*>(block)] = bytes;
  allocated_ -= bytes;
  Report(block, -static_cast<long>(bytes));
}
