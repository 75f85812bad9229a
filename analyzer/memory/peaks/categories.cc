// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/peaks/categories.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "analyzer/memory/steps/frame_roles.h"
#include "base/capped.h"

namespace inquest::memory {
namespace {

constexpr int kMostCopies = 5;   // weight, gradient, two moments, an average
constexpr int64_t kLarge = 100;  // one byte in so many
constexpr int64_t kMany = 16;
constexpr int64_t kVeryMany = 100;
constexpr int64_t kFewestSizes = 3;
constexpr int64_t kScalar = 512;  // bytes; smaller blocks say nothing
// A step that trains holds activations beside what lasts.
constexpr int64_t kTrains = 10;  // one byte in so many
constexpr int64_t kOdd = 50;     // one in so many

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

// How many blocks of a size may be beside whole sets: a buffer may have the
// size of a weight, which is seen where there are few weights of that size, or
// where they are small. With pairs, one more block would say anything.
int64_t MostBeside(int64_t count, int64_t bytes, int64_t all, int copies) {
  if (copies == 2) return 0;
  if (bytes >= all / kLarge) return count >= kMany ? 0 : 1;
  return count >= kVeryMany ? 2 : 1;
}

bool AreCopies(const std::map<int64_t, int64_t>& by_size, int copies) {
  int64_t bytes = 0, odd_bytes = 0, sizes = 0;
  for (const auto& [size, count] : by_size) {
    if (size >= kScalar && count > 0) bytes = AddCapped(bytes, size * count);
  }
  for (const auto& [size, count] : by_size) {
    if (count <= 0 || size < kScalar) continue;
    const int64_t rest = count % copies;
    odd_bytes = AddCapped(odd_bytes, size * rest);
    if (count < copies) continue;
    if (rest > MostBeside(count, size * count, bytes, copies)) return false;
    ++sizes;
  }
  return sizes >= kFewestSizes && odd_bytes <= bytes / kOdd;
}

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

struct Sum {
  int64_t blocks = 0;
  int64_t bytes = 0;
};

Sum SumOf(const std::map<int64_t, int64_t>& by_size) {
  Sum sum;
  for (const auto& [size, count] : by_size) {
    sum.bytes = AddCapped(sum.bytes, size * count);
    sum.blocks += count;
  }
  return sum;
}

// Lasting blocks: `all` with those that code told to be an optimizer's, `rest`
// without them. `gradients`: whether code told those.
void SplitLasting(const std::map<int64_t, int64_t>& all,
                  const std::map<int64_t, int64_t>& rest, int copies,
                  bool gradients, Table* table) {
  const Sum whole = SumOf(all);
  const Sum left = SumOf(rest);
  if (left.blocks == 0) return;
  if (copies == 1) {
    const bool moments = whole.blocks > left.blocks;
    return table->Add(moments || gradients ? "weights" : "weights or other",
                      "lifetime: it lasts", left.bytes, left.blocks);
  }
  constexpr std::string_view kBySizes = "sizes: equally many blocks of each";
  const int64_t bytes = std::min(left.bytes, whole.bytes / copies);
  const int64_t blocks = std::min(left.blocks, whole.blocks / copies);
  table->Add("weights", kBySizes, bytes, blocks);
  int64_t bytes_left = left.bytes - bytes;
  int64_t blocks_left = left.blocks - blocks;
  // Two moments are the rule, so one copy more is the gradients.
  if (!gradients && copies % 2 == 0) {
    const int64_t part = std::min(bytes, bytes_left);
    const int64_t number = std::min(blocks, blocks_left);
    table->Add(copies == 2 && whole.blocks == left.blocks
                   ? "gradients or optimizer"
                   : "gradients",
               kBySizes, part, number);
    bytes_left -= part;
    blocks_left -= number;
  }
  if (bytes_left > 0)
    table->Add("optimizer", kBySizes, bytes_left, blocks_left);
}

}  // namespace

int CopiesOfWeights(const std::map<int64_t, int64_t>& by_size) {
  for (int copies = kMostCopies; copies > 1; --copies) {
    if (AreCopies(by_size, copies)) return copies;
  }
  return 1;
}

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
  blocks_.push_back(
      {one.block.bytes, &PlaceOf(one.block.stack), lasting, leaks, life});
}

std::vector<CategoryRow> Categories::Finish() const {
  Table table;
  std::map<int64_t, int64_t> lasting, all_lasting;  // number by size
  for (const One& one : blocks_) {
    if (one.lasting && !one.leaks) ++all_lasting[one.bytes];
  }
  bool gradients = false;
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
      gradients = true;
    } else if (one.lasting) {
      ++lasting[one.bytes];
    } else if (one.life == Life::kTransient) {
      table.Add("workspace", "lifetime: a twentieth of a step", one.bytes);
    } else if (one.life == Life::kStep) {
      table.Add("activations", "lifetime: freed in its step", one.bytes);
    } else {
      table.Add("activations or workspace",
                "lifetime: made in the record; no steps are known", one.bytes);
    }
  }
  const bool copies = of_model_ && Trains();
  SplitLasting(all_lasting, lasting, copies ? CopiesOfWeights(all_lasting) : 1,
               gradients, &table);
  return table.Rows();
}

}  // namespace inquest::memory
