// SPDX-License-Identifier: Apache-2.0
// Which lasting blocks of a training step are weights, gradients or an
// optimizer's moments, where no code says so: there are as many of each size of
// all of them. For categories.cc.
//
// Blocks that came and went together are compared first. Weights are never
// freed; moments that are made anew in each step, and gradients that are
// dropped, are. So with blocks from before the record that were not freed in it
// as the measure, others are copies of them: two that the record sees freed are
// moments, one that it sees made are gradients. That holds wherever the peak
// lies, inside of the optimizer, too. Without such blocks, all are divided by
// the number of copies of each size.
//
// Bytes. Pure computation.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace inquest::memory {

constexpr int64_t kScalar = 512;  // bytes; smaller blocks say nothing

using NumberBySize = std::map<int64_t, int64_t>;

// From before the record and never freed; from before and freed in it; made in
// it.
enum class Cohort { kKept, kReplaced, kMade };

struct LastingBlocks {
  std::array<NumberBySize, 3> by_cohort;  // without those of known code
  NumberBySize of_optimizer;              // known by their code
  bool gradients_known = false;           // some, by their code
  bool may_be_copies = false;             // of a model, in a step that trains
};

struct LastingPart {
  std::string_view category;
  std::string_view told_by;
  int64_t bytes = 0;
  int64_t blocks = 0;
  std::optional<Cohort> cohort;  // of which it is a part; else of all
};

// Weights come before gradients, and these before moments.
std::vector<LastingPart> SplitLasting(const LastingBlocks& lasting);

// How many lasting blocks there are for each weight, by the number of blocks of
// each size: the largest number, at most 5, that divides nearly all of them.
// The last norm of a model makes the number of norms odd, so an even number of
// equal layers does not count as copies. Fewer than three sizes say nothing.
int CopiesOfWeights(const NumberBySize& by_size);

// How often all of `unit` is in `blocks`, if they are nearly nothing else; else
// 0.
int CopiesOf(const NumberBySize& unit, const NumberBySize& blocks);

}  // namespace inquest::memory
