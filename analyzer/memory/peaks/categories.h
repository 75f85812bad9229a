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
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/memory/peaks/block_life.h"
#include "analyzer/memory/peaks/code_places.h"
#include "analyzer/memory/peaks/lasting_blocks.h"

namespace inquest::memory {

struct CategoryRow {
  std::string category;
  int64_t blocks = 0;
  int64_t bytes = 0;
  std::string told_by;
};

class Categories {
 public:
  // `before`: blocks up to this event are older than the record. `of_pool`:
  // they are those of a framework, and so of a model.
  Categories(CodePlaces* places, int64_t before, bool of_pool)
      : places_(places), before_(before), of_model_(of_pool) {}

  // `leaks`: of a site that grows from step to step.
  void Add(const PeakBlock& one, Life life, bool leaks);
  std::vector<CategoryRow> Finish() const;
  // Of each block that was added, in that order. Which of the lasting blocks of
  // one size are weights is judged by their order alone, so the sums are those
  // of Finish up to rounding.
  std::vector<std::string> ByBlock() const;
  // Whether this block lasts.
  bool Lasts(size_t index) const { return blocks_[index].lasting; }

 private:
  struct One {
    int64_t bytes = 0;
    int64_t event = 0;
    const CodePlace* place = nullptr;
    bool lasting = false;
    bool leaks = false;
    Life life = Life::kUnknown;
    Cohort cohort = Cohort::kKept;
  };
  struct Told {
    std::string_view category;
    std::string_view told_by;
  };
  struct Division {
    std::vector<Told> told;          // of each block
    std::vector<LastingPart> parts;  // of those of which nothing is told
  };
  Told Tell(const One& one, const NumberBySize& all_lasting) const;
  Division Divide() const;
  bool Trains() const;

  CodePlaces* places_;
  int64_t before_;
  bool of_model_;
  std::vector<One> blocks_;
};

}  // namespace inquest::memory
