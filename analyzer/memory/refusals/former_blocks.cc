// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/refusals/former_blocks.h"

#include <algorithm>

namespace inquest::memory {
namespace {

constexpr int64_t kLikeSize = 8;  // times larger or smaller

}  // namespace

FormerBlocks::FormerBlocks(const std::vector<HeldBlock>& blocks,
                           const std::vector<Origin>& origins, size_t begin,
                           size_t end)
    : taken_(end) {
  for (size_t i = end; i-- > begin;) {  // the first one is taken first
    by_size_[{origins[i].maker, blocks[i].bytes}].push_back(i);
    by_way_[origins[i].way].emplace(blocks[i].bytes, i);
  }
}

std::optional<size_t> FormerBlocks::Take(const HeldBlock& later,
                                         const Origin& origin) {
  auto twin = TakeOfSize(origin.maker, later.bytes);
  if (!twin) twin = TakeOfWay(origin.way, later.bytes);
  if (twin) taken_[*twin] = true;
  return twin;
}

std::optional<size_t> FormerBlocks::TakeOfSize(size_t maker, int64_t bytes) {
  const auto found = by_size_.find({maker, bytes});
  if (found == by_size_.end()) return {};
  std::vector<size_t>& twins = found->second;
  while (!twins.empty() && taken_[twins.back()]) twins.pop_back();
  if (twins.empty()) return {};
  return twins.back();
}

std::optional<size_t> FormerBlocks::TakeOfWay(size_t way, int64_t bytes) {
  const auto found = by_way_.find(way);
  if (found == by_way_.end()) return {};
  auto& sizes = found->second;
  const int64_t most = std::min(bytes, INT64_MAX / kLikeSize);
  auto at = sizes.lower_bound(bytes / kLikeSize);
  while (at != sizes.end() && taken_[at->second]) at = sizes.erase(at);
  if (at == sizes.end() || at->first > most * kLikeSize) return {};
  return at->second;
}

}  // namespace inquest::memory
