// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/peaks/lasting_blocks.h"

#include <algorithm>

#include "base/capped.h"

namespace inquest::memory {
namespace {

constexpr int kMaxCopies = 5;    // weight, gradient, two moments, an average
constexpr int64_t kLarge = 100;  // one byte in so many
constexpr int64_t kMany = 16;
constexpr int64_t kVeryMany = 100;
constexpr int64_t kFewestSizes = 3;
constexpr int64_t kLeastSize = 512;  // bytes; smaller blocks say nothing
constexpr int64_t kOdd = 50;         // one in so many
constexpr int64_t kStray = 20;       // one byte in so many is something else

constexpr std::string_view kBySizes = "sizes: equally many blocks of each";
constexpr std::string_view kByCohort =
    "sizes: as many of each as weights, made or freed together";
constexpr std::string_view kByLifetime = "lifetime: it lasts";

struct Sum {
  int64_t blocks = 0;
  int64_t bytes = 0;
};

Sum SumOf(const NumberBySize& by_size) {
  Sum sum;
  for (const auto& [size, count] : by_size) {
    sum.bytes = AddCapped(sum.bytes, size * count);
    sum.blocks += count;
  }
  return sum;
}

// How many blocks of a size may be beside whole sets: a buffer may have the
// size of a weight, which is seen where there are few weights of that size, or
// where they are small. With pairs, one more block would say anything.
int64_t MostBeside(int64_t count, int64_t bytes, int64_t all, int copies) {
  if (copies == 2) return 0;
  if (bytes >= all / kLarge) return count >= kMany ? 0 : 1;
  return count >= kVeryMany ? 2 : 1;
}

bool AreCopies(const NumberBySize& by_size, int copies) {
  int64_t bytes = 0, odd_bytes = 0, sizes = 0;
  for (const auto& [size, count] : by_size) {
    if (size >= kLeastSize && count > 0) bytes = AddCapped(bytes, size * count);
  }
  for (const auto& [size, count] : by_size) {
    if (count <= 0 || size < kLeastSize) continue;
    const int64_t rest = count % copies;
    odd_bytes = AddCapped(odd_bytes, size * rest);
    if (count < copies) continue;
    if (rest > MostBeside(count, size * count, bytes, copies)) return false;
    ++sizes;
  }
  return sizes >= kFewestSizes && odd_bytes <= bytes / kOdd;
}

class Splitter {
 public:
  explicit Splitter(const LastingBlocks& lasting) : lasting_(lasting) {}

  std::vector<LastingPart> Split() {
    if (!lasting_.may_be_copies || !ByCohorts()) AllTogether();
    return std::move(parts_);
  }

 private:
  const NumberBySize& Of(Cohort cohort) const {
    return lasting_.by_cohort[static_cast<size_t>(cohort)];
  }
  void Add(std::string_view category, std::string_view told_by, Sum sum) {
    if (sum.blocks > 0) {
      parts_.push_back({category, told_by, sum.bytes, sum.blocks, cohort_});
    }
  }
  static Sum Part(const Sum& sum, int of, int parts) {
    return {sum.blocks * of / parts, sum.bytes / parts * of};
  }
  static Sum Less(const Sum& sum, const Sum& part) {
    return {sum.blocks - part.blocks, sum.bytes - part.bytes};
  }

  bool ByCohorts();
  void Copies(const Sum& sum, int copies, bool gradients);
  void AllTogether();

  const LastingBlocks& lasting_;
  std::vector<LastingPart> parts_;
  std::optional<Cohort> cohort_;  // of the parts that are added now
};

// Copies of weights without the weights: two moments are the rule, so an odd
// number has the gradients in it.
void Splitter::Copies(const Sum& sum, int copies, bool gradients) {
  if (copies == 0) return;
  const bool of_both = copies % 2 == 1 && gradients;
  const Sum first = of_both ? Part(sum, 1, copies) : Sum{};
  Add("gradients", kByCohort, first);
  Add("optimizer", kByCohort, Less(sum, first));
}

bool Splitter::ByCohorts() {
  const NumberBySize& kept = Of(Cohort::kKept);
  const NumberBySize& replaced = Of(Cohort::kReplaced);
  const NumberBySize& made = Of(Cohort::kMade);
  if (kept.empty() || (replaced.empty() && made.empty())) return false;
  const int inside = CopiesOfWeights(kept);
  NumberBySize unit = kept;
  for (auto& [size, count] : unit) count /= inside;
  const int freed = CopiesOf(unit, replaced);
  const int later = CopiesOf(unit, made);
  if (freed == 0 && later == 0) return false;
  const Sum all = SumOf(kept);
  const Sum weights = Part(all, 1, inside);
  cohort_ = Cohort::kKept;
  Add("weights", kByCohort, weights);
  const bool gradients = !lasting_.gradients_known && later % 2 == 0;
  Copies(Less(all, weights), inside - 1, gradients);
  cohort_ = Cohort::kReplaced;
  if (freed == 0) {
    Add("weights or other", kByLifetime, SumOf(replaced));
  } else if (freed == 1 && inside == 1 && gradients) {
    Add("gradients or optimizer", kByCohort, SumOf(replaced));
  } else {
    Copies(SumOf(replaced), freed, gradients && inside % 2 == 1);
  }
  cohort_ = Cohort::kMade;
  if (later == 0) {
    Add("weights or other", kByLifetime, SumOf(made));
  } else {
    Copies(SumOf(made), later, !lasting_.gradients_known);
  }
  return true;
}

void Splitter::AllTogether() {
  NumberBySize rest;
  for (const NumberBySize& cohort : lasting_.by_cohort) {
    for (const auto& [size, count] : cohort) rest[size] += count;
  }
  NumberBySize all = rest;
  for (const auto& [size, count] : lasting_.of_optimizer) all[size] += count;
  const Sum whole = SumOf(all);
  const Sum left = SumOf(rest);
  const int copies = lasting_.may_be_copies ? CopiesOfWeights(all) : 1;
  if (copies == 1) {
    const bool known =
        !lasting_.of_optimizer.empty() || lasting_.gradients_known;
    return Add(known ? "weights" : "weights or other", kByLifetime, left);
  }
  const Sum weights = {std::min(left.blocks, whole.blocks / copies),
                       std::min(left.bytes, whole.bytes / copies)};
  Add("weights", kBySizes, weights);
  Sum others = Less(left, weights);
  // Two moments are the rule, so one copy more is the gradients.
  if (!lasting_.gradients_known && copies % 2 == 0) {
    const Sum part = {std::min(weights.blocks, others.blocks),
                      std::min(weights.bytes, others.bytes)};
    Add(copies == 2 && lasting_.of_optimizer.empty() ? "gradients or optimizer"
                                                     : "gradients",
        kBySizes, part);
    others = Less(others, part);
  }
  if (others.bytes > 0) Add("optimizer", kBySizes, others);
}

}  // namespace

int CopiesOfWeights(const NumberBySize& by_size) {
  for (int copies = kMaxCopies; copies > 1; --copies) {
    if (AreCopies(by_size, copies)) return copies;
  }
  return 1;
}

int CopiesOf(const NumberBySize& unit, const NumberBySize& blocks) {
  const int64_t unit_bytes = SumOf(unit).bytes;
  const int64_t bytes = SumOf(blocks).bytes;
  if (unit_bytes <= 0) return 0;
  const int64_t copies = (bytes + unit_bytes / 2) / unit_bytes;
  if (copies < 1 || copies > kMaxCopies) return 0;
  int64_t shared = 0, sizes = 0;
  for (const auto& [size, count] : blocks) {
    const auto found = unit.find(size);
    if (found == unit.end() || size < kLeastSize) continue;
    shared = AddCapped(shared, size * std::min(count, copies * found->second));
    ++sizes;
  }
  const int64_t most = std::max(bytes, copies * unit_bytes);
  return sizes >= kFewestSizes && shared >= most - most / kStray
             ? static_cast<int>(copies)
             : 0;
}

std::vector<LastingPart> SplitLasting(const LastingBlocks& lasting) {
  return Splitter(lasting).Split();
}

}  // namespace inquest::memory
