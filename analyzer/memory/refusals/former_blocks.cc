// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/refusals/former_blocks.h"

#include <algorithm>
#include <string>

namespace inquest::memory {
namespace {

constexpr int64_t kLikeSize = 8;  // times larger or smaller

}  // namespace

std::vector<Maker> MakersOf(const std::vector<Site>& sites) {
  std::map<std::string, Maker> known;
  std::vector<Maker> makers;
  for (const Site& site : sites) {
    const Frame& frame = site.frames.front();
    const std::string place =
        frame.function + '|' + frame.file + '|' + std::to_string(frame.line);
    makers.push_back(known.try_emplace(place, known.size()).first->second);
  }
  return makers;
}

FormerBlocks::FormerBlocks(const std::vector<HeldBlock>& blocks,
                           const std::vector<Maker>& makers, size_t begin,
                           size_t end)
    : makers_(makers), taken_(end) {
  for (size_t i = end; i-- > begin;) {  // the first one is taken first
    const HeldBlock& one = blocks[i];
    by_size_[{makers[one.site], one.bytes}].push_back(i);
    by_site_[one.site].emplace(one.bytes, i);
  }
}

std::optional<size_t> FormerBlocks::Take(const HeldBlock& later) {
  auto twin = TakeOfSize(later);
  if (!twin) twin = TakeOfSite(later);
  if (twin) taken_[*twin] = true;
  return twin;
}

std::optional<size_t> FormerBlocks::TakeOfSize(const HeldBlock& later) {
  const auto found = by_size_.find({makers_[later.site], later.bytes});
  if (found == by_size_.end()) return {};
  std::vector<size_t>& twins = found->second;
  while (!twins.empty() && taken_[twins.back()]) twins.pop_back();
  if (twins.empty()) return {};
  return twins.back();
}

std::optional<size_t> FormerBlocks::TakeOfSite(const HeldBlock& later) {
  const auto found = by_site_.find(later.site);
  if (found == by_site_.end()) return {};
  auto& sizes = found->second;
  const int64_t most = std::min(later.bytes, INT64_MAX / kLikeSize);
  auto at = sizes.lower_bound(later.bytes / kLikeSize);
  while (at != sizes.end() && taken_[at->second]) at = sizes.erase(at);
  if (at == sizes.end() || at->first > most * kLikeSize) return {};
  return at->second;
}

}  // namespace inquest::memory
