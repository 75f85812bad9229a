// SPDX-License-Identifier: Apache-2.0
#include "core/device.h"

#include <sys/mman.h>

#include "core/shared_usage.h"

namespace simgpu {
namespace {

// Where current drivers put device memory: above 4 GiB, a TiB a device.
constexpr uint64_t kFirstBase = 0x302000000;
constexpr uint64_t kBaseStride = uint64_t{1} << 40;

// Reserves the range in the host's address space, as unified addressing does,
// so that no host pointer can be mistaken for a device pointer and a host
// access faults.
uint64_t ReserveAddresses(int ordinal, uint64_t bytes) {
  const uint64_t wish =
      kFirstBase + static_cast<uint64_t>(ordinal) * kBaseStride;
  void* got = mmap(reinterpret_cast<void*>(wish), bytes + kPage, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED)
    return wish;  // a limit on address space: use it unreserved
  const auto address = reinterpret_cast<uint64_t>(got);
  return (address + kPage - 1) / kPage * kPage;
}

}  // namespace

Device::Device(int ordinal, const Config& config)
    : ordinal_(ordinal),
      total_(config.memory / kPage * kPage),
      backing_(total_) {
  base_ = ReserveAddresses(ordinal, total_);
  heap_ = std::make_unique<DeviceHeap>(base_, total_, config.fit);
  if (ordinal != 0) return;
  for (const OtherProcess& other : config.others) {
    if (heap_->AllocateTop(other.bytes)) fictional_ = heap_->used_bytes();
  }
}

// Other processes may hold what this process's own records show as free.
bool Device::FitsBesideOthers() {
  SharedUsage& shared = SharedUsage::Get();
  if (!shared.active()) return true;
  if (heap_->used_bytes() + shared.Others(ordinal_, false) <= total_) {
    return true;
  }
  return heap_->used_bytes() + shared.Others(ordinal_, true) <= total_;
}

void Device::Note() {
  SharedUsage::Get().SetOwn(ordinal_, heap_->used_bytes() - fictional_);
}

template <class Taken, class Undo>
std::optional<Taken> Device::Take(std::optional<Taken> taken, Undo undo) {
  if (taken && !FitsBesideOthers()) {
    undo(*taken);
    return std::nullopt;
  }
  Note();
  return taken;
}

std::optional<uint64_t> Device::Allocate(uint64_t bytes, uint32_t owner) {
  const std::lock_guard lock(mutex_);
  return Take(heap_->Allocate(bytes, owner),
              [this](uint64_t a) { heap_->Free(a); });
}

std::optional<uint64_t> Device::AllocateTop(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  return Take(heap_->AllocateTop(bytes),
              [this](uint64_t a) { heap_->Free(a); });
}

std::optional<std::vector<Range>> Device::TakePages(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  return Take(heap_->TakePages(bytes),
              [this](const std::vector<Range>& p) { heap_->ReturnPages(p); });
}

std::optional<Range> Device::Free(uint64_t address) {
  const std::lock_guard lock(mutex_);
  return FreeLocked(address);
}

void Device::FreeOwned(uint32_t owner) {
  const std::lock_guard lock(mutex_);
  for (uint64_t address : heap_->OwnedBy(owner)) FreeLocked(address);
}

std::optional<Range> Device::FreeLocked(uint64_t address) {
  const auto block = heap_->Find(address);
  if (!block || block->address != address) return std::nullopt;
  heap_->Free(address);
  if (block->size > kSmallLimit) {
    const uint64_t pages = (block->size + kPage - 1) / kPage * kPage;
    backing_.Forget(address - base_, pages);
  }
  Note();
  return block;
}

void Device::ReturnPages(const std::vector<Range>& pieces) {
  const std::lock_guard lock(mutex_);
  heap_->ReturnPages(pieces);
  Note();
}

std::optional<Range> Device::Find(uint64_t address) {
  const std::lock_guard lock(mutex_);
  return heap_->Find(address);
}

uint64_t Device::free_bytes() {
  const std::lock_guard lock(mutex_);
  const uint64_t others = SharedUsage::Get().Others(ordinal_, true);
  const uint64_t free = heap_->free_bytes();
  return free > others ? free - others : 0;
}

uint64_t Device::used_bytes() {
  const std::lock_guard lock(mutex_);
  return heap_->used_bytes() - fictional_;
}

bool Device::Inside(uint64_t address, uint64_t bytes) const {
  const auto block = heap_->Find(address);
  return block && bytes <= block->end() - address;
}

bool Device::Write(uint64_t address, const void* from, size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!Inside(address, bytes)) return false;
  backing_.Write(address - base_, from, bytes);
  return true;
}

bool Device::Read(uint64_t address, void* to, size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!Inside(address, bytes)) return false;
  backing_.Read(address - base_, to, bytes);
  return true;
}

bool Device::Copy(uint64_t to, uint64_t from, size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!Inside(to, bytes) || !Inside(from, bytes)) return false;
  backing_.Copy(to - base_, from - base_, bytes);
  return true;
}

bool Device::Fill(uint64_t address, unsigned value, size_t width,
                  size_t count) {
  const std::lock_guard lock(mutex_);
  if (!Inside(address, width * count)) return false;
  backing_.Fill(address - base_, value, width, count);
  return true;
}

const std::vector<std::unique_ptr<Device>>& Devices() {
  static const auto* devices = [] {
    auto* made = new std::vector<std::unique_ptr<Device>>;
    for (int i = 0; i < GetConfig().devices; ++i) {
      made->push_back(std::make_unique<Device>(i, GetConfig()));
    }
    return made;
  }();
  return *devices;
}

Device* DeviceOf(uint64_t address) {
  for (const auto& device : Devices()) {
    if (device->Contains(address)) return device.get();
  }
  return nullptr;
}

}  // namespace simgpu
