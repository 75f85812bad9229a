// SPDX-License-Identifier: Apache-2.0
// SIMGPU_SHARED: a small mapped file in which each process that uses the
// simulated device notes how much memory it holds, so that a second process
// finds the device occupied. Dead owners are detected by pid and start time,
// and their memory counts as free again.
//
// Called by core/device.h and by the NVML stand-in. Bytes per device. If the
// file cannot be used, one line on stderr says so and the process does not see
// others. Thread-safe and safe between processes: all words are atomic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simgpu {

struct ProcessUsage {
  unsigned pid = 0;
  uint64_t bytes = 0;
  std::string name;
};

class SharedUsage {
 public:
  // The process's view of SIMGPU_SHARED; inactive when that is not set.
  static SharedUsage& Get();

  bool active() const { return file_ != nullptr; }
  // Notes what this process holds of `device` now.
  void SetOwn(int device, uint64_t bytes);
  // What the others hold; `check_alive` also clears dead owners (slow).
  uint64_t Others(int device, bool check_alive);
  // Every live process that holds memory of `device`, this one included.
  std::vector<ProcessUsage> List(int device);
  // Leaves the file; called when the library is unloaded.
  void Leave();

 private:
  struct File;
  struct Slot;
  SharedUsage();
  bool Map(const std::string& path);
  void ClearDead();
  Slot* Claim();

  File* file_ = nullptr;
  Slot* own_ = nullptr;
};

}  // namespace simgpu
