// SPDX-License-Identifier: Apache-2.0
// When a device that fills up from step to step will be full. For the leak
// facts (process_facts.cc), which print no other number of this kind.
//
// A step dies of its peak, not of what is left at its end. So the device is
// full in the first step at whose end less is free than a step needs on top.
// The room is what the process may hold: what it held plus what the driver
// called free at the same moment, so contexts, libraries and other processes
// are left out. Where a framework's pool holds the memory, its blocks are
// counted, and its segments only for what they have beside them.
//
// Bytes; one thread; constant memory for each device.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace inquest::memory {

// What a layer of a device held so far.
struct HeldSoFar {
  int64_t live = 0;
  int64_t peak = 0;
  int64_t peak_time = 0;
};

class Projection {
 public:
  void EndStep(int device, const HeldSoFar& driver, const HeldSoFar& pool);
  // Whole steps after the last one that ended, until one cannot be granted.
  // Empty if the device has no whole step, or nothing grows.
  std::optional<int64_t> StepsLeft(int device, int64_t room,
                                   int64_t bytes_per_step) const;

 private:
  struct Layer {
    int64_t live = 0;   // at the end of the last step
    int64_t above = 0;  // what a step needs on top, as far as it is known
    int64_t peak = 0;
    int64_t last_peak_time = 0;
    void EndStep(const HeldSoFar& held);
  };
  struct Device {
    Layer driver, pool;
  };
  std::map<int, Device> devices_;
};

}  // namespace inquest::memory
