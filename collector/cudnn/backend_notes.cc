// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/backend_notes.h"

#include <cstdlib>

#include "trace/records/records.h"

namespace inquest::collector {

size_t BackendNotes::PlaceOf(uintptr_t key, size_t probe) {
  const uint64_t hash = uint64_t{key} * 0x9e3779b97f4a7c15u >> 32;
  return (hash + probe) & (kPlaces - 1);
}

size_t BackendNotes::FindSlot(uintptr_t key) const {
  for (size_t probe = 0; probe < kMaxProbes; ++probe) {
    const size_t at = PlaceOf(key, probe);
    const uintptr_t found = keys_[at].load(std::memory_order_acquire);
    if (found == key) return at;
    if (found == 0) break;
  }
  return kNowhere;
}

BackendNote* BackendNotes::Find(const void* descriptor) const {
  const size_t at = FindSlot(reinterpret_cast<uintptr_t>(descriptor));
  return at == kNowhere ? nullptr : notes_[at].load(std::memory_order_acquire);
}

BackendNote* BackendNotes::Make(const void* descriptor, int type, size_t room) {
  Drop(descriptor);
  const auto key = reinterpret_cast<uintptr_t>(descriptor);
  void* memory = std::malloc(sizeof(BackendNote) + room);
  if (memory == nullptr || key <= kGone) {
    std::free(memory);
    return nullptr;
  }
  auto* note = new (memory) BackendNote{type, static_cast<uint16_t>(room),
                                        0,    0,
                                        0,    nullptr,
                                        -1,   trace::kNoNumber};
  for (size_t probe = 0; probe < kMaxProbes; ++probe) {
    const size_t at = PlaceOf(key, probe);
    uintptr_t found = keys_[at].load(std::memory_order_relaxed);
    if (found > kGone || !keys_[at].compare_exchange_strong(
                             found, key, std::memory_order_acq_rel)) {
      continue;
    }
    notes_[at].store(note, std::memory_order_release);
    return note;
  }
  std::free(memory);
  return nullptr;
}

void BackendNotes::Drop(const void* descriptor) {
  const size_t at = FindSlot(reinterpret_cast<uintptr_t>(descriptor));
  if (descriptor == nullptr || at == kNowhere) return;
  std::free(notes_[at].exchange(nullptr));
  keys_[at].store(kGone, std::memory_order_release);
}

void BackendNotes::Forget() {
  for (size_t at = 0; at < kPlaces; ++at) {
    if (keys_[at].load(std::memory_order_relaxed) == 0) continue;
    notes_[at].store(nullptr);
    keys_[at].store(0);
  }
}

}  // namespace inquest::collector
