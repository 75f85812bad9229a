// SPDX-License-Identifier: Apache-2.0
// Which threads of the host allocated or freed lately, as their records are
// drained: at exit, one that still runs may do so again. Used by one thread
// after the other: the drain's, and once that has ended the one that exits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace inquest::collector {

class RecentCallers {
 public:
  // A record of the journal, in its order; all but memory events are ignored.
  void Note(uint32_t kind, std::string_view payload);
  // Whether a thread other than `self` that is still there made a call at or
  // after `since_ns` (trace::MonotonicNs).
  bool IsAnotherAtWork(uint32_t self, int64_t since_ns) const;

 private:
  struct Caller {
    uint32_t thread = 0;  // kernel thread id
    int64_t time_ns = 0;  // of its last call
  };
  // Of more threads the last ones are kept: one is enough.
  static constexpr size_t kMost = 16;

  std::array<Caller, kMost> callers_;
  size_t last_ = 0;
};

}  // namespace inquest::collector
