// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/peaks/categories.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "analyzer/memory/peaks/lasting_blocks.h"
#include "analyzer/memory/steps/frame_roles.h"
#include "base/capped.h"

namespace inquest::memory {
namespace {

constexpr int64_t kScalar = 512;  // bytes; smaller blocks say nothing
// A step that trains holds activations beside what lasts.
constexpr int64_t kTrains = 10;  // one byte in so many

// The names of PyTorch's memory timeline, and what they are here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kNames =
    {{{"parameter", "weights"},
      {"gradient", "gradients"},
      {"optimizer state", "optimizer"},
      {"activation", "activations"},
      {"autograd detail", "activations"},
      {"temporary", "workspace"},
      {"input", "other"},
      {"unknown", "other"}}};

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

const Categories::Place& Categories::PlaceOf(int64_t stack) {
  const auto [entry, is_new] = places_.try_emplace(stack);
  Place& place = entry->second;
  if (!is_new || stack == 0) return place;
  const std::vector<Frame> frames = frames_(stack);
  if (!frames.empty()) place.code = Code::kOther;
  for (const auto& [name, category] : kNames) {
    if (frames.size() == 1 && frames.front().file.empty() &&
        frames.front().function == name) {
      place = {Code::kNamed, std::string(category)};
      return place;
    }
  }
  for (const Frame& frame : frames) {
    if (frame.module.find("libnccl") != std::string::npos) {
      place.code = Code::kNccl;
      return place;
    }
    const FrameRole role = RoleOf(frame);
    of_model_ |= role == FrameRole::kModule || role == FrameRole::kOptimizer ||
                 role == FrameRole::kBackward;
    if (role == FrameRole::kOptimizer) place.code = Code::kOptimizer;
    if (role == FrameRole::kBackward && place.code != Code::kOptimizer) {
      place.code = Code::kBackward;
    }
  }
  return place;
}

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
  blocks_.push_back({one.block.bytes, &PlaceOf(one.block.stack), lasting, leaks,
                     life,
                     !before ? Cohort::kMade
                     : freed ? Cohort::kReplaced
                             : Cohort::kKept});
}

std::vector<CategoryRow> Categories::Finish() const {
  Table table;
  std::map<int64_t, int64_t> all_lasting;  // number by size
  LastingBlocks lasting;
  for (const One& one : blocks_) {
    if (one.lasting && !one.leaks) {
      ++all_lasting[one.bytes];
      if (one.place->code == Code::kOptimizer)
        ++lasting.of_optimizer[one.bytes];
    }
  }
  for (const One& one : blocks_) {
    const Code code = one.place->code;
    if (code == Code::kNamed) {
      table.Add(one.place->name, "names: the profiler's", one.bytes);
    } else if (one.leaks) {
      table.Add("other", "growth: kept from step to step", one.bytes);
    } else if (code == Code::kNccl) {
      table.Add("NCCL", "code: allocated in libnccl", one.bytes);
    } else if (code == Code::kOptimizer) {
      table.Add(one.lasting ? "optimizer" : "workspace",
                "code: an optimizer made it", one.bytes);
    } else if (code == Code::kBackward && one.bytes >= kScalar &&
               all_lasting.contains(one.bytes)) {
      table.Add("gradients", "code and sizes: of a backward pass", one.bytes);
      lasting.gradients_known = true;
    } else if (one.lasting) {
      ++lasting.by_cohort[static_cast<size_t>(one.cohort)][one.bytes];
    } else if (one.life == Life::kTransient) {
      table.Add("workspace", "lifetime: a twentieth of a step", one.bytes);
    } else if (one.life == Life::kStep) {
      table.Add("activations", "lifetime: freed in its step", one.bytes);
    } else if (before_ > 0) {
      table.Add("activations or workspace",
                "lifetime: made in the record; no steps are known", one.bytes);
    } else {
      table.Add("not told apart", "no steps are known", one.bytes);
    }
  }
  lasting.may_be_copies = of_model_ && Trains();
  for (const LastingPart& part : SplitLasting(lasting)) {
    table.Add(part.category, part.told_by, part.bytes, part.blocks);
  }
  return table.Rows();
}

}  // namespace inquest::memory
