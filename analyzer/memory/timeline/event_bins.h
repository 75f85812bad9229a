// SPDX-License-Identifier: Apache-2.0
// What groups of blocks held over time, in a bounded number of bins of equally
// many events: each bin has the moment in which most was held, and its last.
// A block is added when it is freed, because only then is known how long it
// lived, in constant time: a bin's moment counts it if that lies between its
// allocation and its free. For category_keeper.h.
//
// For each event call Begin, then Free for what it frees, then End. Memory:
// kMost bins for each group. Bytes; events are numbers of memory_event, which
// ascend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace inquest::memory {

class EventBins {
 public:
  static constexpr size_t kMost = 1024;
  static constexpr int64_t kNever = INT64_MAX;

  struct Bin {
    int64_t begin = 0, end = 0;  // times of its first and last event
    int64_t high = INT64_MIN;    // the most that was held after an event
    int64_t high_event = -1;     // after which one; -1: the bin has no events
    int64_t last_event = -1;
    bool empty() const { return high_event < 0; }
  };

  void Begin(int64_t event);
  void End(int64_t event, int64_t time, int64_t held);
  // A block that was made after `made` and freed in this event, the last one
  // that began.
  void Free(size_t group, int64_t bytes, int64_t made);
  // No event comes after this.
  void Finish() { Close(); }
  // After Finish: a block that was freed in some event, or kNever.
  void Add(size_t group, int64_t bytes, int64_t made, int64_t freed);

  const std::vector<Bin>& bins() const { return bins_; }
  // After Finish: adds what a group held at each bin's highest and last moment.
  void AddTo(size_t group, std::vector<int64_t>* high,
             std::vector<int64_t>* last) const;

 private:
  // As differences from bin to bin.
  using Steps = std::vector<int64_t>;
  struct Group {
    Steps high = Steps(kMost + 1);
    Steps last = Steps(kMost + 1);
    int64_t freed = 0;  // live in the open bin's highest moment, freed since
    int64_t of = -1;    // of which highest moment
  };

  size_t Index(int64_t event) const {
    return event <= first_ ? 0
                           : static_cast<size_t>((event - first_) >> shift_);
  }
  Group& Of(size_t group);
  static void AddRange(Steps* steps, size_t from, size_t to, int64_t bytes);
  static std::vector<int64_t> Sums(const Steps& steps, size_t count);
  void Close();
  void Halve();

  std::vector<Bin> bins_;
  std::vector<Group> groups_;
  int64_t first_ = -1;  // event
  int shift_ = 0;       // a bin has so many events, as a power of two
  size_t at_ = 0;       // the open bin
  int64_t event_ = 0;   // the last one that began
  int64_t highs_ = 0;   // highest moments so far
};

}  // namespace inquest::memory
