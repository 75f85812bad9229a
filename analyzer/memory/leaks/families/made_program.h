// SPDX-License-Identifier: Apache-2.0
// A made-up training program, block by block: sites allocate and free memory,
// and a site table records it. For the held-out families of leaks.
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "analyzer/memory/leaks/families/families.h"

namespace inquest::memory {

inline double Between(Random* random, double low, double high) {
  return std::uniform_real_distribution<>(low, high)(*random);
}

inline double LogBetween(Random* random, double low, double high) {
  return std::exp(Between(random, std::log(low), std::log(high)));
}

inline int64_t WholeBetween(Random* random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(*random);
}

// The size of one of `times` pieces of a random total from 30 MiB to 8 GiB.
inline double Piece(Random* random, double times) {
  return LogBetween(random, 30, 8000) / times;
}

inline bool Chance(Random* random, double odds) {
  return Between(random, 0, 1) < odds;
}

// Sizes of batches: most similar, some far larger.
inline double BatchFactor(Random* random) {
  return std::exp(std::normal_distribution<>(0, 0.35)(*random));
}

using MadeBlock = int64_t;  // 0: none

class MadeProgram {
 public:
  // Weights, activations and a prefetched batch always exist.
  MadeProgram(Random* random, MadeRun* run)
      : random_(random), run_(run), batch_mib_(LogBetween(random, 1, 100)) {
    run->steps = std::llround(LogBetween(random, 150, 2000));
    Take(kWeights, LogBetween(random, 50, 4000));
  }

  int64_t steps() const { return run_->steps; }

  MadeBlock Take(int64_t stack, double mib) {
    const size_t site = run_->sites.Find(stack, 0);
    const auto bytes = std::max<int64_t>(512, std::llround(mib * (1 << 20)));
    run_->sites.OnAlloc(site, bytes);
    blocks_[++last_] = {site, bytes};
    return last_;
  }

  void Give(MadeBlock* block) {
    const auto found = blocks_.find(*block);
    *block = 0;
    if (found == blocks_.end()) return;
    run_->sites.OnFree(found->second.first, found->second.second);
    blocks_.erase(found);
  }

  // Runs `work` in the middle of an ordinary step, then ends the step.
  template <typename Work>
  void Step(Work work) {
    const double factor = BatchFactor(random_);
    MadeBlock activations = Take(kActivations, 8 * batch_mib_ * factor);
    work(step_);
    MadeBlock next = Take(kBatches, batch_mib_ * factor);
    Give(&activations);
    Give(&fetched_);
    fetched_ = next;
    run_->sites.EndStep(step_++);
  }

  template <typename Work>
  void Run(Work work) {
    while (step_ < run_->steps) Step(work);
  }

 private:
  enum : int64_t { kWeights = kFirstHealthyStack + 1, kActivations, kBatches };

  Random* random_;
  MadeRun* run_;
  double batch_mib_;
  int64_t step_ = 0;
  MadeBlock last_ = 0;
  MadeBlock fetched_ = 0;
  std::map<MadeBlock, std::pair<size_t, int64_t>> blocks_;
};

using MadeBlocks = std::vector<MadeBlock>;
using MakeProgram = std::function<void(MadeProgram*, Random*)>;

}  // namespace inquest::memory
