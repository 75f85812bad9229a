// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/models/cuda_malloc.h"

namespace inquest::whatif {

bool CudaMalloc::Allocate(uint32_t block, int64_t bytes, uint16_t) {
  const int64_t before = driver_->used();
  const auto address = driver_->Allocate(bytes);
  if (!address) return false;
  blocks_[block] = {*address, bytes};
  totals_.Allocate(bytes);
  totals_.Reserve(driver_->used() - before, 1);
  return true;
}

void CudaMalloc::Free(uint32_t block) {
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return;
  const int64_t before = driver_->used();
  driver_->Free(found->second.address);
  totals_.allocated -= found->second.bytes;
  totals_.Reserve(driver_->used() - before, -1);
  blocks_.erase(found);
}

void CudaMalloc::VisitSegments(const SegmentVisitor& visit) const {
  for (const auto& [address, bytes] : driver_->blocks()) visit(address, bytes);
}

}  // namespace inquest::whatif
