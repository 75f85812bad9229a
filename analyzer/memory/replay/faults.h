// SPDX-License-Identifier: Apache-2.0
// Counts impossible events in a replay: frees of blocks that were freed (or
// replaced by another block) before, frees of unknown addresses, overlapping
// blocks. Never fatal, because a trace may have lost events. Filled by the
// replay (replay.h). A second free is distinguished from one of an unknown
// address by a table of the last freed addresses, of constant size.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "trace/store/ledger.h"

namespace inquest::memory {

enum class FaultKind { kDoubleFree, kUnknownFree, kOverlap };
std::string_view Word(FaultKind kind);

struct Fault {
  int64_t count = 0;
  int64_t first_event = 0;
  int64_t first_time = 0;
};

class Faults {
 public:
  using Key = std::tuple<int, trace::Layer, FaultKind>;  // device first

  void Freed(const trace::Place& place) { Slot(place) = Name(place); }
  void UnknownFree(const trace::Place& place, const trace::MemoryEvent& event);
  void Overlap(const trace::Place& place, const trace::MemoryEvent& event) {
    Note(place, FaultKind::kOverlap, event);
  }
  const std::map<Key, Fault>& all() const { return all_; }

 private:
  static constexpr size_t kSlots = 1 << 16;
  static uint64_t Name(const trace::Place& place);
  uint64_t& Slot(const trace::Place& place);
  void Note(const trace::Place& place, FaultKind kind,
            const trace::MemoryEvent& event);

  std::vector<uint64_t> freed_ = std::vector<uint64_t>(kSlots);
  std::map<Key, Fault> all_;
};

}  // namespace inquest::memory
