// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/peaks/categories.h"

#include <map>

#include "base/units.h"
#include "tests/catch_compat.h"
#include "trace/records/event.h"

namespace inquest::memory {
namespace {

constexpr int64_t kNorm = 4096;
constexpr int64_t kBefore = 100;  // events

// Blocks of a model of 24 layers, as many of each size as there are copies.
std::map<int64_t, int64_t> SizesOfModel(int64_t copies) {
  return {{4 * kMiB, 96 * copies},
          {16 * kMiB, 72 * copies},
          {40 * kMiB, 2 * copies},
          {kNorm, 49 * copies}};
}

class Peaked {
 public:
  explicit Peaked(bool of_pool)
      : places_([](int64_t stack) { return FramesOf(stack); }),
        categories_(&places_, kBefore, of_pool) {}
  Peaked& Blocks(int64_t number, int64_t bytes, int64_t stack, Life life,
                 bool leaks = false) {
    for (int64_t i = 0; i < number; ++i) {
      PeakBlock one;
      one.block.bytes = bytes;
      one.block.stack = stack;
      one.block.event = life == Life::kUnknown ? 1 : kBefore + 1;
      categories_.Add(one, life, leaks);
    }
    return *this;
  }
  // From before the record, and freed in it.
  Peaked& Freed(int64_t number, int64_t bytes) {
    for (int64_t i = 0; i < number; ++i) {
      PeakBlock one;
      one.block.bytes = bytes;
      one.block.event = 1;
      one.freed = 1000;
      categories_.Add(one, Life::kStep, false);
    }
    return *this;
  }
  std::map<std::string, int64_t> Bytes() const {
    std::map<std::string, int64_t> bytes;
    for (const CategoryRow& row : categories_.Finish()) {
      CHECK_FALSE(row.told_by.empty());
      bytes[row.category] += row.bytes;
    }
    return bytes;
  }

 private:
  static std::vector<Frame> FramesOf(int64_t stack) {
    switch (stack) {
      case 1:
        return {{"forward", "model.py", 3, "python"}};
      case 2:
        return {{"_engine_run_backward", "graph.py", 3, "python"}};
      case 3:
        return {{"step", "torch/optim/adamw.py", 3, "python"}};
      case 4:
        return {{"ncclCommInitRank", "", 0, "libnccl.so.2"}};
      case 5:
        return {{"optimizer state", "", 0, "python"}};
      default:
        return {};
    }
  }
  CodePlaces places_;
  Categories categories_;
};

TEST_CASE("copies of weights are told by the number of blocks of each size") {
  for (int copies = 1; copies <= 4; ++copies) {
    CHECK(CopiesOfWeights(SizesOfModel(copies)) == copies);
    auto with_others = SizesOfModel(copies);
    with_others[20 * kMiB] = 1;
    with_others[1024] = 1;
    CHECK(CopiesOfWeights(with_others) == copies);
  }
  CHECK(CopiesOfWeights({{20 * kMiB, 81}}) == 1);
  CHECK(CopiesOfWeights({{4 * kMiB, 60}, {kMiB, 60}}) == 1);
  CHECK(CopiesOfWeights({}) == 1);
}

TEST_CASE("a training step of which the record knows no allocating code") {
  Peaked peak(true);
  for (const auto& [size, count] : SizesOfModel(3)) {
    peak.Blocks(count, size, 0, Life::kUnknown);
  }
  peak.Blocks(10, 80 * kMiB, 1, Life::kStep)
      .Blocks(2, kMiB, 1, Life::kTransient);
  int64_t weights = 0;
  for (const auto& [size, count] : SizesOfModel(1)) weights += size * count;
  CHECK(peak.Bytes() ==
        std::map<std::string, int64_t>{{"weights", weights},
                                       {"optimizer", 2 * weights},
                                       {"activations", 800 * kMiB},
                                       {"workspace", 2 * kMiB}});
}

// Weights stay; the moments are made anew in each step, so the record sees
// those from before freed; the gradients are made in it.
TEST_CASE("a peak inside an optimizer that replaces its moments") {
  Peaked peak(true);
  int64_t weights = 0;
  for (const auto& [size, count] : SizesOfModel(1)) {
    weights += size * count;
    peak.Blocks(count, size, 0, Life::kUnknown)
        .Freed(2 * count, size)
        .Blocks(count, size, 6, Life::kPersistent);
  }
  peak.Blocks(7, 2 * kMiB, 0, Life::kUnknown)
      .Blocks(3, 40 * kMiB, 3, Life::kTransient);
  const auto bytes = peak.Bytes();
  CHECK(bytes.at("weights") == weights + 14 * kMiB);
  CHECK(bytes.at("gradients") == weights);
  CHECK(bytes.at("optimizer") == 2 * weights);
  CHECK(bytes.at("workspace") == 120 * kMiB);
}

TEST_CASE("what is made or freed together and is no copy stays open") {
  Peaked peak(true);
  for (const auto& [size, count] : SizesOfModel(1)) {
    peak.Blocks(count, size, 0, Life::kUnknown);
  }
  peak.Freed(30, 7 * kMiB).Blocks(10, 80 * kMiB, 1, Life::kStep);
  CHECK_FALSE(peak.Bytes().contains("optimizer"));
}

TEST_CASE("code and names come before sizes") {
  Peaked peak(true);
  peak.Blocks(1, 4 * kMiB, 0, Life::kPersistent)
      .Blocks(1, 4 * kMiB, 2, Life::kStep)
      .Blocks(1, 2 * kMiB, 2, Life::kStep)
      .Blocks(1, 4 * kMiB, 3, Life::kPersistent)
      .Blocks(1, kMiB, 3, Life::kTransient)
      .Blocks(1, 7 * kMiB, 4, Life::kPersistent)
      .Blocks(1, 3 * kMiB, 5, Life::kUnknown);
  CHECK(peak.Bytes() ==
        std::map<std::string, int64_t>{{"weights", 4 * kMiB},
                                       {"gradients", 4 * kMiB},
                                       {"activations", 2 * kMiB},
                                       {"optimizer", 7 * kMiB},
                                       {"workspace", kMiB},
                                       {"NCCL", 7 * kMiB}});
}

TEST_CASE("a leak is nobody's weights, and a buffer may be anything") {
  Peaked peak(false);
  peak.Blocks(81, 20 * kMiB, 0, Life::kPersistent, true)
      .Blocks(5, kMiB, 0, Life::kPersistent);
  CHECK(peak.Bytes() ==
        std::map<std::string, int64_t>{{"other", 81 * 20 * kMiB},
                                       {"weights or other", 5 * kMiB}});
}

}  // namespace
}  // namespace inquest::memory
