// SPDX-License-Identifier: Apache-2.0
// Allocation sites: the places in a program that request device memory, with
// what each holds. A site is the chain of the program's own functions above
// those of libraries, on one device. Filled by the replay, one event at a time,
// in constant time except for new stacks. Sizes in bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/memory/leaks/step_series.h"
#include "analyzer/memory/sites/symbolize.h"

namespace inquest::memory {

struct SiteCounts {
  int64_t allocations = 0;
  int64_t frees = 0;
  int64_t failures = 0;
  int64_t allocated_bytes = 0;
  int64_t live_bytes = 0;
  int64_t peak_bytes = 0;
};

// Blocks that were freed in the step that allocated them.
struct ShortLived {
  int64_t blocks = 0;
  int64_t bytes = 0;
  int64_t time = 0;       // total of their lifetimes, nanoseconds
  int64_t by_driver = 0;  // how many of the blocks are from cudaMalloc
};

struct Site : SiteCounts {
  int device = -1;
  int64_t stack = 0;          // one of the stacks that lead here
  std::vector<Frame> frames;  // the program's own, innermost first
  std::string chain;          // "RememberLoss < TrainStep < main"
  StepSeries by_step;
  ShortLived short_lived;
};

class SiteTable {
 public:
  using StackFrames = std::function<std::vector<Frame>(int64_t stack)>;
  explicit SiteTable(StackFrames frames) : frames_(std::move(frames)) {}

  // Adds the site if it is new.
  size_t Find(int64_t stack, int device) { return Of(stack, device).site; }
  // The site of a call that allocates; the call is counted for its stack.
  size_t FindForAlloc(int64_t stack, int device, int64_t calls = 1) {
    OfStack& of = Of(stack, device);
    of.allocations += calls;
    return of.site;
  }
  void OnAlloc(size_t site, int64_t bytes);
  void OnFree(size_t site, int64_t bytes);
  // After OnFree, if the block was made in the same step.
  void CountShortLived(size_t site, int64_t bytes, int64_t time,
                       bool by_driver);
  // The free just before failed.
  void UndoFree(size_t site, int64_t bytes);
  // Adds the totals of one of its stacks from before the replay. Peaks cannot
  // be added: the highest of the stacks is kept, and the site's true peak may
  // be higher.
  void Resume(size_t site, const SiteCounts& counts);
  void OnFailure(size_t site, int64_t times) { sites_[site].failures += times; }
  // Records what every site holds now as its value at the end of `step`.
  void EndStep(int64_t step);

  const std::vector<Site>& sites() const { return sites_; }
  // Calls visit(stack, device, site, allocations) for each stack that was seen.
  template <class Visit>
  void ForEachStack(Visit visit) const {
    for (const auto& [key, of] : by_stack_) {
      visit(of.stack, of.device, of.site, of.allocations);
    }
  }
  // The frame that distinguishes a site: the innermost one whose function no
  // other site has, else the innermost. A helper that makes all allocations
  // says nothing about any of them.
  Frame DistinguishingFrame(size_t site) const;

 private:
  struct OfStack {
    size_t site = 0;
    int64_t stack = 0;
    int device = -1;
    int64_t allocations = 0;
  };
  OfStack& Of(int64_t stack, int device);
  size_t Make(int64_t stack, int device);
  void CountFunctions() const;

  StackFrames frames_;
  std::vector<Site> sites_;
  std::unordered_map<uint64_t, OfStack> by_stack_;
  std::unordered_map<std::string, size_t> by_chain_;
  // How many of the first `counted_` sites have a function.
  mutable std::unordered_map<std::string, size_t> sites_of_;
  mutable size_t counted_ = 0;
};

}  // namespace inquest::memory
