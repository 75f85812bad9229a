// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/replay/faults.h"

namespace inquest::memory {

std::string_view Word(FaultKind kind) {
  switch (kind) {
    case FaultKind::kDoubleFree:
      return "double_free";
    case FaultKind::kUnknownFree:
      return "unknown_free";
    case FaultKind::kOverlap:
      return "overlap";
  }
  return "unknown";
}

// Never 0, and in practice unique: blocks begin at multiples of 256.
uint64_t Faults::Name(const trace::Place& place) {
  return (place.address ^ static_cast<uint64_t>(place.device) << 56 ^
          static_cast<uint64_t>(place.layer) << 54) |
         1;
}

uint64_t& Faults::Slot(const trace::Place& place) {
  return freed_[Name(place) * 0x9e3779b97f4a7c15u >> 48];
}

void Faults::Note(const trace::Place& place, FaultKind kind,
                  const trace::MemoryEvent& event) {
  Fault& fault = all_[{place.device, place.layer, kind}];
  if (fault.count++ > 0) return;
  fault.first_event = event.id;
  fault.first_time = event.time;
}

void Faults::UnknownFree(const trace::Place& place,
                         const trace::MemoryEvent& event) {
  const bool before = Slot(place) == Name(place);
  Note(place, before ? FaultKind::kDoubleFree : FaultKind::kUnknownFree, event);
}

}  // namespace inquest::memory
