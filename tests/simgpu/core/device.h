// SPDX-License-Identifier: Apache-2.0
// One simulated device: its address space and contents, what other processes
// hold of it, and the one mutex that guards all this.
//
// Called by the driver stand-in. Knows sizes and addresses (bytes), not CUDA
// contexts or error codes. Every method locks; none is called under the lock.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/backing.h"
#include "core/device_heap.h"

namespace simgpu {

class Device {
 public:
  Device(int ordinal, const Config& config);

  int ordinal() const { return ordinal_; }
  uint64_t total() const { return total_; }

  // Empty if no free range is large enough or other processes hold the rest.
  std::optional<uint64_t> Allocate(uint64_t bytes, uint32_t owner = 0);
  std::optional<uint64_t> AllocateTop(uint64_t bytes);
  std::optional<std::vector<Range>> TakePages(uint64_t bytes);
  // Frees what the owner (a context) still holds.
  void FreeOwned(uint32_t owner);
  // The block freed, or nothing when none starts there.
  std::optional<Range> Free(uint64_t address);
  void ReturnPages(const std::vector<Range>& pieces);

  bool Contains(uint64_t address) const {
    return address >= base_ && address < base_ + total_;
  }
  std::optional<Range> Find(uint64_t address);
  uint64_t free_bytes();
  uint64_t used_bytes();

  // Contents; false when the range is not inside one live block.
  bool Write(uint64_t address, const void* from, size_t bytes);
  bool Read(uint64_t address, void* to, size_t bytes);
  bool Copy(uint64_t to, uint64_t from, size_t bytes);
  bool Fill(uint64_t address, unsigned value, size_t width, size_t count);

 private:
  template <class Taken, class Undo>
  std::optional<Taken> Take(std::optional<Taken> taken, Undo undo);
  std::optional<Range> FreeLocked(uint64_t address);
  bool FitsBesideOthers();
  void Note();
  bool Inside(uint64_t address, uint64_t bytes) const;

  const int ordinal_;
  const uint64_t total_;
  uint64_t base_ = 0;
  uint64_t fictional_ = 0;  // held by SIMGPU_OTHER
  std::mutex mutex_;
  std::unique_ptr<DeviceHeap> heap_;
  Backing backing_;
};

// The devices of this process, made on first use from the configuration.
const std::vector<std::unique_ptr<Device>>& Devices();
// The device whose address space contains `address`, or null.
Device* DeviceOf(uint64_t address);

}  // namespace simgpu
