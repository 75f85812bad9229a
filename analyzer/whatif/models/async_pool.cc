// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/models/async_pool.h"

namespace inquest::whatif {
namespace {

constexpr int64_t kPoolGranule = 512;

}  // namespace

AsyncPool::AsyncPool(Driver* driver) : driver_(driver), inside_({}) {}

bool AsyncPool::Allocate(uint32_t block, int64_t bytes, uint16_t) {
  const int64_t before = inside_.used();
  const auto address = inside_.Allocate(bytes);
  if (!address) return false;
  const int64_t pages = (inside_.used() - before) / kPage;
  const int64_t missing = std::max<int64_t>(0, pages - unused_);
  if (missing > 0 && !driver_->TakePages(missing)) {
    inside_.Free(*address);
    return false;
  }
  unused_ += missing - pages;
  totals_.Reserve(missing * kPage, missing);
  const int64_t rounded = RoundUp(std::max<int64_t>(bytes, 1), kPoolGranule);
  totals_.Allocate(rounded);
  blocks_[block] = {*address, rounded};
  return true;
}

void AsyncPool::Free(uint32_t block) {
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return;
  const int64_t before = inside_.used();
  inside_.Free(found->second.address);
  unused_ += (before - inside_.used()) / kPage;
  totals_.allocated -= found->second.bytes;
  blocks_.erase(found);
}

void AsyncPool::EmptyCache() {
  driver_->GivePages(unused_);
  totals_.Reserve(-unused_ * kPage, -unused_);
  unused_ = 0;
}

int64_t AsyncPool::LargestFree() const {
  return unused_ * kPage;
}

void AsyncPool::VisitSegments(const SegmentVisitor& visit) const {
  // Pages have no addresses of their own, so all are one segment.
  if (totals_.reserved > 0) visit(0, totals_.reserved);
}

}  // namespace inquest::whatif
