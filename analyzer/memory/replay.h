// Replays the memory events of one process in the order they took effect: what
// was live where at any time, the state of the heap at each refused request,
// what each site and each step held. One pass; memory is bounded by the live
// set. Called by Analyze (analyze.h), once for each trace.
//
// Layers: `device` holds blocks of the driver's address space, `handles` holds
// memory without an address of its own (arrays, physical VMM memory),
// `framework` holds blocks inside a framework's pool, which the driver's layer
// already counts.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/memory/heap.h"
#include "analyzer/memory/memory_event.h"
#include "analyzer/memory/sites.h"
#include "trace/status.h"

namespace inquest::memory {

struct HeapSpan {
  uint64_t address = 0;
  int64_t bytes = 0;
  bool live = false;
  int64_t event = 0;
  size_t site = 0;
  int64_t age = 0;
};

struct Refusal {
  MemoryEvent event;
  int64_t live_bytes = 0;       // of this process on the device
  int64_t framework_bytes = 0;  // of them live inside the framework's pool
  Gaps gaps;
  bool survived = false;
  std::vector<HeapSpan> heap;  // for some refusals only, see replay.cc
};

struct DeviceState {
  Heap device;
  Heap handles;
  Heap framework;
  int64_t failed = 0;
  int64_t peak_bytes = 0;  // device and handles together
  int64_t peak_time = 0;
  int64_t live_bytes() const {
    return device.live_bytes() + handles.live_bytes();
  }
};

class Replay {
 public:
  explicit Replay(SiteTable* sites) : sites_(sites) {}

  void Add(const MemoryEvent& event);
  // What the process holds on all devices now.
  int64_t LiveBytes() const;

  const std::map<int, DeviceState>& devices() const { return devices_; }
  std::vector<Refusal>& refusals() { return refusals_; }

 private:
  void Allocate(const MemoryEvent& event);
  void Free(const MemoryEvent& event);
  void Refuse(const MemoryEvent& event);
  void DestroyContext(const MemoryEvent& event);
  void DropContext(Heap* heap, int device, uint64_t context);
  std::vector<HeapSpan> Snapshot(const Heap& heap, int device, int64_t now);

  SiteTable* sites_;
  std::map<int, DeviceState> devices_;
  std::vector<Refusal> refusals_;
  std::map<int, std::vector<size_t>> open_refusals_;  // by device
  Block last_freed_;
  uint64_t last_freed_address_ = 0;
  int snapshots_ = 0;
};

}  // namespace inquest::memory
