// SPDX-License-Identifier: Apache-2.0
// Notes about the descriptors of cuDNN's backend API, by their addresses. Each
// note is allocated separately and freed with its descriptor. Lookups take no
// lock. Any thread, but a descriptor's note only by the thread that may use the
// descriptor.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace inquest::collector {

struct BackendNote {
  int type;                 // cudnnBackendDescriptorType_t
  uint16_t room;            // of `rest`
  uint16_t size;            // used of it
  uint64_t hash;            // of what is in `rest`
  uint64_t operation;       // of graphs and objects made from them, 0 unknown
  const void* workspace;    // a pack's
  int32_t engine;           // a plan's global index, -1 unknown
  int64_t workspace_asked;  // a plan's, trace::kNoNumber unknown
  // Values of a tensor or mode, description of an operation or graph, a plan's
  // knobs.
  alignas(8) char rest[];
};

class BackendNotes {
 public:
  static constexpr size_t kPlaces = 1u << 15;

  // Null if there is no memory or place for it. Replaces an existing note.
  BackendNote* Make(const void* descriptor, int type, size_t room);
  BackendNote* Find(const void* descriptor) const;
  void Drop(const void* descriptor);
  void Forget();  // in a forked child; frees nothing

 private:
  static constexpr size_t kMaxProbes = 64;
  static constexpr uintptr_t kGone = 1;  // was used, may be used again
  static constexpr size_t kNowhere = ~size_t{0};

  static size_t PlaceOf(uintptr_t key, size_t probe);
  size_t FindSlot(uintptr_t key) const;

  std::atomic<uintptr_t> keys_[kPlaces] = {};
  std::atomic<BackendNote*> notes_[kPlaces] = {};
};

}  // namespace inquest::collector
