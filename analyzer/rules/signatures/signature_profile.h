// SPDX-License-Identifier: Apache-2.0
// The cost of each signature on the lines of a run, for `inquest rules
// profile`. Filled by a SignatureSet that received one; many threads may fill
// it at once; it is read when they are done.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace inquest::rules {

struct SignatureCost {
  int64_t tried = 0;    // lines with one of its literals
  int64_t matched = 0;  // of these
  int64_t ns = 0;       // in RE2 and for figures, including compilation
};

class SignatureProfile {
 public:
  void Add(size_t signature, bool matched, int64_t ns) {
    const std::lock_guard lock(mutex_);
    if (signature >= costs_.size()) costs_.resize(signature + 1);
    SignatureCost& cost = costs_[signature];
    ++cost.tried;
    cost.matched += matched ? 1 : 0;
    cost.ns += ns;
  }
  // By the signature's index; those beyond the end were never tried.
  const std::vector<SignatureCost>& costs() const { return costs_; }

 private:
  std::mutex mutex_;
  std::vector<SignatureCost> costs_;
};

}  // namespace inquest::rules
