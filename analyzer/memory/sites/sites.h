// Allocation sites: the places in a program that ask for device memory, with
// what each holds. A site is the chain of the program's own functions above the
// machinery, on one device. Filled by the replay, one event at a time, in
// constant time but for the first sight of a stack. Sizes in bytes.
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

// Blocks that were freed in the step that made them.
struct ShortLived {
  int64_t blocks = 0;
  int64_t bytes = 0;
  int64_t time = 0;       // nanoseconds that they lived, all together
  int64_t by_driver = 0;  // of the blocks, those that cudaMalloc made
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

  size_t Find(int64_t stack, int device);
  void Allocated(size_t site, int64_t bytes);
  void Freed(size_t site, int64_t bytes);
  // Of one freed, that it was made in the same step.
  void WasShortLived(size_t site, int64_t bytes, int64_t time, bool by_driver);
  // A free that did not happen after all.
  void NotFreed(size_t site, int64_t bytes);
  // Adds what one of its stacks did before the replay began. Peaks do not add
  // up: of several stacks the highest stands, which the site's own may exceed.
  void Resume(size_t site, const SiteCounts& counts);
  void Failed(size_t site) { ++sites_[site].failures; }
  // Notes what every site holds now as its value at the end of `step`.
  void EndStep(int64_t step);

  const std::vector<Site>& sites() const { return sites_; }
  // The frame that tells a site from the others: the innermost one whose
  // function no other site has, else the innermost. A helper through which
  // all allocations go says nothing about any of them.
  Frame TellingFrame(size_t site) const;

 private:
  size_t Make(int64_t stack, int device);
  void CountFunctions() const;

  StackFrames frames_;
  std::vector<Site> sites_;
  std::unordered_map<uint64_t, size_t> by_stack_;
  std::unordered_map<std::string, size_t> by_chain_;
  // How many of the first `counted_` sites have a function.
  mutable std::unordered_map<std::string, size_t> sites_of_;
  mutable size_t counted_ = 0;
};

}  // namespace inquest::memory
