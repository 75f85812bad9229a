// SPDX-License-Identifier: Apache-2.0
// Adds the time of a scope to a counter, for `inquest rules profile`; without a
// counter the clock is not even read.
#pragma once

#include <chrono>
#include <cstdint>

namespace inquest {

class Timed {
 public:
  explicit Timed(int64_t* nanoseconds) : to_(nanoseconds) {
    if (to_ != nullptr) begin_ = Clock::now();
  }
  ~Timed() {
    if (to_ == nullptr) return;
    const auto taken = Clock::now() - begin_;
    *to_ += std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count();
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  int64_t* to_;
  Clock::time_point begin_;
};

}  // namespace inquest
