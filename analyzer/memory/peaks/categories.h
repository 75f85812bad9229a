// SPDX-License-Identifier: Apache-2.0
// What the blocks that were live at a peak are for: weights, gradients,
// optimizer state, activations, workspace, NCCL, other. For peak_facts.cc,
// which writes the fact memory_category.
//
// By which sign, which each row says:
//  - names: a profiler's memory timeline names the category itself.
//  - code: blocks of NCCL by its library; those that an optimizer made and that
//    stay are its state, those that a backward pass made and that have the size
//    of lasting ones are gradients.
//  - sizes: the other lasting blocks are divided by lasting_blocks.h.
//  - lifetime: what a step needs are activations, and what it frees within a
//    twentieth of its length is workspace. Without steps, what is younger than
//    a record that began late is one of the two; a whole record does not tell.
//
// Bytes. Pure computation; memory is bounded by the sites and sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analyzer/memory/peaks/block_life.h"
#include "analyzer/memory/peaks/lasting_blocks.h"
#include "analyzer/memory/sites/symbolize.h"

namespace inquest::memory {

struct CategoryRow {
  std::string category;
  int64_t blocks = 0;
  int64_t bytes = 0;
  std::string told_by;
};

class Categories {
 public:
  using StackFrames = std::function<std::vector<Frame>(int64_t stack)>;
  // `before`: blocks up to this event are older than the record. `of_pool`:
  // they are those of a framework, and so of a model.
  Categories(StackFrames frames, int64_t before, bool of_pool)
      : frames_(std::move(frames)), before_(before), of_model_(of_pool) {}

  // `leaks`: of a site that grows from step to step.
  void Add(const PeakBlock& one, Life life, bool leaks);
  std::vector<CategoryRow> Finish() const;

 private:
  enum class Code { kUnknown, kOther, kNccl, kOptimizer, kBackward, kNamed };
  struct Place {
    Code code = Code::kUnknown;
    std::string name;  // of kNamed
  };
  struct One {
    int64_t bytes = 0;
    const Place* place = nullptr;
    bool lasting = false;
    bool leaks = false;
    Life life = Life::kUnknown;
    Cohort cohort = Cohort::kKept;
  };
  const Place& PlaceOf(int64_t stack);
  bool Trains() const;

  StackFrames frames_;
  int64_t before_;
  bool of_model_;
  std::map<int64_t, Place> places_;  // by stack
  std::vector<One> blocks_;
};

}  // namespace inquest::memory
