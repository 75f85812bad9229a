// SPDX-License-Identifier: Apache-2.0
// What the simulated device memory contains. A second, lazily populated
// mapping as large as the device keeps what copies and fills write; of each
// operation at most kMaxStored bytes are kept, so that a training loop which
// copies gigabytes costs no host memory. Untouched memory reads as zero.
//
// Called by core/device.h; offsets are bytes from the device's base. If the
// mapping fails, writes are lost and reads give zeros. The caller holds the
// device's mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simgpu {

inline constexpr size_t kMaxStored = size_t{1} << 20;

class Backing {
 public:
  explicit Backing(uint64_t size) : size_(size) {}
  ~Backing();
  Backing(const Backing&) = delete;
  Backing& operator=(const Backing&) = delete;

  void Write(uint64_t offset, const void* from, size_t bytes);
  void Read(uint64_t offset, void* to, size_t bytes) const;
  void Copy(uint64_t to, uint64_t from, size_t bytes);
  void Fill(uint64_t offset, unsigned value, size_t width, size_t count);
  // Releases the host pages of a freed range of whole device pages.
  void Forget(uint64_t offset, uint64_t bytes);

 private:
  bool Open();
  void Touch(uint64_t offset, size_t bytes);

  uint64_t size_;
  char* data_ = nullptr;
  bool failed_ = false;
  std::vector<bool> touched_;  // one flag per 2 MiB
  size_t touched_count_ = 0;
};

}  // namespace simgpu
