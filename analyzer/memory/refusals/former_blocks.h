// SPDX-License-Identifier: Apache-2.0
// The blocks that a later run may make again (earlier_run.h): finds for each
// block behind a split the one before it that it repeats, and each only once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/memory/refusals/makers.h"
#include "analyzer/memory/replay/replay.h"

namespace inquest::memory {

class FormerBlocks {
 public:
  // Of `blocks`, in the order of their allocation, those from `begin` to before
  // `end`, and where each comes from.
  FormerBlocks(const std::vector<HeldBlock>& blocks,
               const std::vector<Origin>& origins, size_t begin, size_t end);

  // The index of the first block that is left of the same maker and size; or of
  // about the size if it came the very same way: a trial with other parameters,
  // but not another network of the same layers.
  std::optional<size_t> Take(const HeldBlock& later, const Origin& origin);

 private:
  std::optional<size_t> TakeOfSize(size_t maker, int64_t bytes);
  std::optional<size_t> TakeOfWay(size_t way, int64_t bytes);

  std::map<std::pair<size_t, int64_t>, std::vector<size_t>> by_size_;
  std::map<size_t, std::multimap<int64_t, size_t>> by_way_;
  std::vector<bool> taken_;
};

}  // namespace inquest::memory
