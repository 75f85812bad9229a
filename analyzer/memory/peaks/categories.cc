// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/peaks/categories.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "analyzer/memory/peaks/lasting_blocks.h"
#include "base/capped.h"

namespace inquest::memory {
namespace {

constexpr std::string_view kOfBackward = "code and sizes: of a backward pass";
// A step that trains holds activations beside what lasts.
constexpr int64_t kTrains = 10;  // one byte in so many

class Table {
 public:
  void Add(std::string_view category, std::string_view told_by, int64_t bytes,
           int64_t blocks = 1) {
    CategoryRow& row = rows_[{category, told_by}];
    row.category = category;
    row.told_by = told_by;
    row.bytes = AddCapped(row.bytes, bytes);
    row.blocks += blocks;
  }
  std::vector<CategoryRow> Rows() const {
    std::vector<CategoryRow> rows;
    for (const auto& [unused, row] : rows_) rows.push_back(row);
    std::stable_sort(
        rows.begin(), rows.end(),
        [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    return rows;
  }

 private:
  std::map<std::pair<std::string_view, std::string_view>, CategoryRow> rows_;
};

}  // namespace

bool Categories::Trains() const {
  int64_t lasting = 0, of_steps = 0;
  bool optimizes = false;
  for (const One& one : blocks_) {
    (one.lasting ? lasting : of_steps) += one.bytes;
    optimizes |= one.place->code == Code::kOptimizer;
    if (!one.lasting && one.life == Life::kUnknown) of_steps -= one.bytes;
  }
  return optimizes || of_steps >= lasting / kTrains;
}

void Categories::Add(const PeakBlock& one, Life life, bool leaks) {
  const bool lasting = life == Life::kPersistent || one.block.event <= before_;
  const bool before = one.block.event <= before_;
  const bool freed = one.freed != INT64_MAX;
  const CodePlace& place = places_->Of(one.block.stack);
  of_model_ |= place.of_model;
  blocks_.push_back({one.block.bytes, one.block.event, &place, lasting, leaks,
                     life,
                     !before ? Cohort::kMade
                     : freed ? Cohort::kReplaced
                             : Cohort::kKept});
}

// Of a lasting block that no code tells, nothing.
Categories::Told Categories::Tell(const One& one,
                                  const NumberBySize& all_lasting) const {
  const Code code = one.place->code;
  if (code == Code::kNamed) return {one.place->name, "names: the profiler's"};
  if (one.leaks) return {"other", "growth: kept from step to step"};
  if (code == Code::kNccl) return {"NCCL", "code: allocated in libnccl"};
  if (code == Code::kOptimizer) {
    return {one.lasting ? "optimizer" : "workspace",
            "code: an optimizer made it"};
  }
  if (code == Code::kBackward && one.bytes >= kScalar &&
      all_lasting.contains(one.bytes)) {
    return {"gradients", kOfBackward};
  }
  if (one.lasting) return {};
  if (one.life == Life::kTransient) {
    return {"workspace", "lifetime: a twentieth of a step"};
  }
  if (one.life == Life::kStep) {
    return {"activations", "lifetime: freed in its step"};
  }
  if (before_ > 0) {
    return {"activations or workspace",
            "lifetime: made in the record; no steps are known"};
  }
  return {"not told apart", "no steps are known"};
}

Categories::Division Categories::Divide() const {
  Division division;
  NumberBySize all_lasting;
  LastingBlocks lasting;
  for (const One& one : blocks_) {
    if (one.lasting && !one.leaks) {
      ++all_lasting[one.bytes];
      if (one.place->code == Code::kOptimizer)
        ++lasting.of_optimizer[one.bytes];
    }
  }
  for (const One& one : blocks_) {
    division.told.push_back(Tell(one, all_lasting));
    const Told& told = division.told.back();
    lasting.gradients_known |= told.told_by == kOfBackward;
    if (!told.category.empty()) continue;
    ++lasting.by_cohort[static_cast<size_t>(one.cohort)][one.bytes];
  }
  lasting.may_be_copies = of_model_ && Trains();
  division.parts = SplitLasting(lasting);
  return division;
}

std::vector<CategoryRow> Categories::Finish() const {
  Table table;
  const Division division = Divide();
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Told& told = division.told[i];
    if (told.category.empty()) continue;
    table.Add(told.category, told.told_by, blocks_[i].bytes);
  }
  for (const LastingPart& part : division.parts) {
    table.Add(part.category, part.told_by, part.bytes, part.blocks);
  }
  return table.Rows();
}

// Among blocks of one size those that were made first are weights, then come
// gradients and moments: the order of `parts`.
std::vector<std::string> Categories::ByBlock() const {
  const Division division = Divide();
  std::map<std::pair<std::optional<Cohort>, int64_t>, std::vector<size_t>>
      alike;
  const bool cohorts =
      !division.parts.empty() && division.parts.front().cohort.has_value();
  std::vector<std::string> categories(blocks_.size());
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const One& one = blocks_[i];
    categories[i] = division.told[i].category;
    if (!categories[i].empty()) continue;
    std::optional<Cohort> cohort;
    if (cohorts) cohort = one.cohort;
    alike[{cohort, one.bytes}].push_back(i);
  }
  for (auto& [key, members] : alike) {
    std::stable_sort(members.begin(), members.end(), [&](size_t a, size_t b) {
      return blocks_[a].event < blocks_[b].event;
    });
    int64_t all = 0, so_far = 0;
    for (const LastingPart& part : division.parts) {
      if (part.cohort == key.first) all += part.blocks;
    }
    size_t next = 0;
    for (const LastingPart& part : division.parts) {
      if (part.cohort != key.first) continue;
      so_far += part.blocks;
      const double share =
          static_cast<double>(so_far) / static_cast<double>(all);
      const auto until = static_cast<size_t>(
          std::lround(share * static_cast<double>(members.size())));
      for (; next < std::min(until, members.size()); ++next) {
        categories[members[next]] = part.category;
      }
    }
  }
  return categories;
}

}  // namespace inquest::memory
