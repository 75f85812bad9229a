// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory pools (cuMemAllocAsync and friends): each pool takes 32
// MiB segments from its device and serves 512-byte multiples from them. A
// synchronising call releases completely free segments above the threshold.
//
// Used by driver/pool_api.cc, the frees and the synchronising calls. Bytes.
// Simplification: a freed block is reusable at once, on any stream. One mutex
// guards all pools.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <optional>

#include "core/device.h"

struct CUmemPoolHandle_st {
  static constexpr uint32_t kMagic = 0x504f4f31;

  CUmemPoolHandle_st(simgpu::Device* owner, bool is_default);
  std::optional<uint64_t> Allocate(uint64_t bytes);
  // Bytes freed, 0 if the address is not a block of this pool.
  uint64_t Free(uint64_t address);
  // Gives back free segments until at most `keep` bytes stay reserved.
  void Trim(uint64_t keep);

  uint32_t magic = kMagic;
  simgpu::Device* device;
  bool is_default;
  bool doomed = false;  // destroyed, freed with its last block
  uint64_t release_threshold = 0;
  uint64_t reserved = 0;
  uint64_t reserved_high = 0;
  uint64_t used = 0;
  uint64_t used_high = 0;
  std::map<int, int> flags;  // attributes kept but without effect

 private:
  bool Grow(uint64_t bytes);

  simgpu::FreeRanges free_;
  std::map<uint64_t, uint64_t> segments_;  // address → size
  std::map<uint64_t, uint64_t> blocks_;    // address → size
};

namespace simgpu::driver {

// The pool that cuMemAllocAsync uses on the device; made on first use.
CUmemoryPool DefaultPool(Device* device);
// Frees a block of any pool; 0 when it belongs to none.
uint64_t FreePooled(uint64_t address);
// Trims every pool of the device to its release threshold.
void TrimPools(Device* device);

}  // namespace simgpu::driver
