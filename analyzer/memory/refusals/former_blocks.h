// SPDX-License-Identifier: Apache-2.0
// The blocks that a later run may make again (earlier_run.h): finds for each
// block behind a split the one before it that it repeats, and each only once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/memory/replay/replay.h"
#include "analyzer/memory/sites/sites.h"

namespace inquest::memory {

// The code that made a block, whoever called it: function, file and line.
using Maker = size_t;

// Of each site.
std::vector<Maker> MakersOf(const std::vector<Site>& sites);

class FormerBlocks {
 public:
  // Of `blocks`, in the order of their allocation, those from `begin` to before
  // `end`. Both vectors must outlive it.
  FormerBlocks(const std::vector<HeldBlock>& blocks,
               const std::vector<Maker>& makers, size_t begin, size_t end);

  // The index of the first block that is left of the same maker and size; or of
  // about the size if it came the very same way: a trial with other parameters,
  // but not another network of the same layers.
  std::optional<size_t> Take(const HeldBlock& later);

 private:
  std::optional<size_t> TakeOfSize(const HeldBlock& later);
  std::optional<size_t> TakeOfSite(const HeldBlock& later);

  const std::vector<Maker>& makers_;
  std::map<std::pair<Maker, int64_t>, std::vector<size_t>> by_size_;
  std::map<size_t, std::multimap<int64_t, size_t>> by_site_;
  std::vector<bool> taken_;
};

}  // namespace inquest::memory
