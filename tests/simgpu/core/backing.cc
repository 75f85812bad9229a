// SPDX-License-Identifier: Apache-2.0
#include "core/backing.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "core/device_heap.h"

namespace simgpu {

Backing::~Backing() {
  if (data_ != nullptr) munmap(data_, size_);
}

bool Backing::Open() {
  if (data_ != nullptr || failed_) return data_ != nullptr;
  void* mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  failed_ = mapped == MAP_FAILED;
  if (failed_) return false;
  data_ = static_cast<char*>(mapped);
  touched_.assign(size_ / kPage + 1, false);
  return true;
}

void Backing::Touch(uint64_t offset, size_t bytes) {
  if (bytes == 0) return;
  for (uint64_t p = offset / kPage; p <= (offset + bytes - 1) / kPage; ++p) {
    if (!touched_[p]) ++touched_count_;
    touched_[p] = true;
  }
}

void Backing::Write(uint64_t offset, const void* from, size_t bytes) {
  if (!Open()) return;
  bytes = std::min(bytes, kMaxStored);
  Touch(offset, bytes);
  std::memcpy(data_ + offset, from, bytes);
}

void Backing::Read(uint64_t offset, void* to, size_t bytes) const {
  // Beyond kMaxStored nothing was kept; the buffer stays as it is there.
  bytes = std::min(bytes, kMaxStored);
  if (data_ == nullptr) {
    std::memset(to, 0, bytes);
  } else {
    std::memcpy(to, data_ + offset, bytes);
  }
}

void Backing::Copy(uint64_t to, uint64_t from, size_t bytes) {
  if (!Open()) return;
  bytes = std::min(bytes, kMaxStored);
  Touch(to, bytes);
  std::memmove(data_ + to, data_ + from, bytes);
}

void Backing::Fill(uint64_t offset, unsigned value, size_t width,
                   size_t count) {
  if (data_ == nullptr && value == 0) return;
  if (!Open()) return;
  count = std::min(count, kMaxStored / width);
  Touch(offset, count * width);
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(data_ + offset + i * width, &value, width);
  }
}

void Backing::Forget(uint64_t offset, uint64_t bytes) {
  if (touched_count_ == 0) return;
  bool any = false;
  for (uint64_t p = offset / kPage; p < (offset + bytes) / kPage; ++p) {
    if (touched_[p]) --touched_count_;
    any = any || touched_[p];
    touched_[p] = false;
  }
  if (any) madvise(data_ + offset, bytes, MADV_DONTNEED);
}

}  // namespace simgpu
