// SPDX-License-Identifier: Apache-2.0
// Sites that grow in a program of which no steps are known. The run is cut into
// windows of equally many events; what a site held from window to window is
// judged as steps are (leak.h), and must also grow against the clock. Called by
// the analysis of a process instead of the search for leaks by steps.
//
// Loading a model grows just as steadily, so a suspect needs three things more:
// many blocks, growth over most of the recording, and several times as much
// memory that was allocated and given back meanwhile. A cache that never fills
// up looks the same as a leak; the finding says what was measured.
//
// Bytes and nanoseconds; one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/memory/leaks/leak.h"
#include "analyzer/memory/sites/sites.h"

namespace inquest::memory {

class Windows {
 public:
  static constexpr int64_t kMax = 256;
  static constexpr int64_t kFewest = 16;
  // Of `events` to come.
  explicit Windows(int64_t events)
      : every_(events / kMax > kShortest ? events / kMax : kShortest) {}

  // Whether a window ends before the next event, which is at `time`.
  bool End(int64_t time) {
    last_time_ = time;
    if (times_.empty() && count_ == 0) first_time_ = time;
    if (++count_ < every_) return false;
    count_ = 0;
    times_.push_back(time);
    return true;
  }
  int64_t ended() const { return static_cast<int64_t>(times_.size()); }
  int64_t TimeOf(int64_t window) const;
  int64_t first_time() const { return first_time_; }
  int64_t last_time() const { return last_time_; }

 private:
  static constexpr int64_t kShortest = 16;  // events
  int64_t every_;
  int64_t count_ = 0;
  int64_t first_time_ = 0;
  int64_t last_time_ = 0;
  std::vector<int64_t> times_;
};

struct Growth {
  size_t site = 0;
  int64_t growth_bytes = 0;
  double share = 0;  // of all growth on the device
  double significance = 0;
  int64_t first_time = 0;
  int64_t last_time = 0;
  int64_t bytes_per_hour = 0;
};

// Sorted by growth, largest first.
std::vector<Growth> FindGrowth(const std::vector<Site>& sites,
                               const Windows& windows);

}  // namespace inquest::memory
