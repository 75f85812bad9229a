// Adds the time until its end to a counter, for `inquest rules profile`; where
// there is no counter, not even the clock is looked at.
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
