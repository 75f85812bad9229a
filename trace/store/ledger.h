// SPDX-License-Identifier: Apache-2.0
// Computes what a process holds from its memory events in the order they took
// effect. The only place that defines what an event does; used by the
// analyzer's replay (analyzer/memory/replay/replay.h) and by the fold that
// keeps a trace within its disk budget (fold.h), so a replay from the
// checkpoint agrees with a replay of everything. One thread; memory use is that
// of the blocks (heap.h).
//
// Layers: `device` has blocks of the driver's address space, `handles` has
// memory without an address (arrays, physical VMM memory, for as long as a
// handle or a mapping holds it; memory_holds.h), `framework` has blocks inside
// a framework's pool, which the driver's layer already counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "trace/store/heap.h"
#include "trace/store/memory_holds.h"

namespace inquest::trace {

// A row of memory_event, in the trace's own clock.
struct MemoryEvent {
  int64_t id = 0;
  int64_t time = 0;
  int op = 0;
  int kind = 0;
  int device = -1;
  uint64_t context = 0;
  uint64_t address = 0;
  int64_t bytes = 0;
  int result = 0;
  int64_t stack = 0;
  uint64_t mapped = 0;  // for a map: the handle of the memory

  // How many equal refusals this one stands for, see memory_event.address.
  int64_t refusals() const {
    return 1 + static_cast<int64_t>(std::min<uint64_t>(address, kMaxFolded));
  }
  static constexpr uint64_t kMaxFolded = uint64_t{1} << 32;
};

// Numbers are part of the trace format (checkpoint_block.layer).
enum class Layer { kDevice = 0, kHandles = 1, kFramework = 2 };

// Whether the memory counts for the call stack that allocated it. A pool's
// segments do not: the pool requested them, not the code that used the pool.
bool IsOfSites(int kind);

// An earlier refusal of the same stack and device is survived if it asked for
// at most twice as much: a batch is halved and the request made again. What
// other code gets, such as a checkpoint that is saved on the way out, says
// nothing about a refusal. Without stacks only a request for as much is the
// same.
struct SurvivedBytes {
  int64_t least = 0;
  int64_t most = 0;
};
inline SurvivedBytes SurvivedBy(const MemoryEvent& granted) {
  return granted.stack == 0 ? SurvivedBytes{granted.bytes, granted.bytes}
                            : SurvivedBytes{0, 2 * granted.bytes};
}

using MakeBlocks = std::function<std::unique_ptr<Blocks>(int device, Layer)>;

struct DeviceState {
  DeviceState(int ordinal, const MakeBlocks& make)
      : device(make(ordinal, Layer::kDevice)),
        handles(make(ordinal, Layer::kHandles), Numbers::kHandles),
        framework(make(ordinal, Layer::kFramework)) {}

  Heap device;
  Heap handles;
  Heap framework;
  int64_t failed = 0;
  int64_t peak_bytes = 0;  // device and handles together
  int64_t peak_time = 0;
  int64_t live_bytes() const {
    return device.live_bytes() + handles.live_bytes();
  }
  const Heap& layer(Layer which) const {
    return which == Layer::kDevice    ? device
           : which == Layer::kHandles ? handles
                                      : framework;
  }
  Heap& layer(Layer which) {
    return const_cast<Heap&>(std::as_const(*this).layer(which));
  }
};

struct Place {
  int device = -1;
  Layer layer = Layer::kDevice;
  uint64_t address = 0;
};

// Notified of what each event changes. The functions for sites get the stack of
// the allocating call and leave out segments of a pool (IsOfSites), whose
// blocks are included.
class LedgerWatcher {
 public:
  virtual ~LedgerWatcher() = default;
  virtual void OnSiteAlloc(int device, int64_t stack, int64_t bytes) = 0;
  virtual void OnSiteFree(int device, int64_t stack, int64_t bytes) = 0;
  // The last free turned out to have failed.
  virtual void OnSiteRestore(int device, int64_t stack, int64_t bytes) = 0;
  // An allocation in any layer; the state includes it.
  virtual void OnAlloc(const MemoryEvent& event, const DeviceState& state) = 0;
  virtual void OnRefusal(const MemoryEvent& event,
                         const DeviceState& state) = 0;

  // For each block of any kind.
  virtual void OnFree(const Place&, const Block&, int64_t /*time*/) {}
  virtual void OnRestore(const Place&, const Block&) {}
  // Impossible events: a free of an unknown address, overlapping blocks.
  virtual void OnUnknownFree(const Place&, const MemoryEvent&) {}
  virtual void OnOverlap(const Place&, const MemoryEvent&) {}
};

// The last block freed, since the next event may say that this free has failed.
// If other handles or mappings still hold the memory: only the handle and its
// kind.
struct LastFreed {
  int device = -1;
  uint64_t address = 0;
  Block block;
};

class Ledger {
 public:
  Ledger(LedgerWatcher* watcher, MakeBlocks make)
      : watcher_(watcher), make_(std::move(make)) {}

  void Add(const MemoryEvent& event);
  // What the process holds on all devices now.
  int64_t LiveBytes() const;

  const std::map<int, DeviceState>& devices() const { return devices_; }
  // Created when first used.
  DeviceState& Device(int device);
  const LastFreed& last_freed() const { return last_freed_; }
  void Resume(const LastFreed& freed) { last_freed_ = freed; }
  const MemoryHolds& holds() const { return holds_; }
  MemoryHolds& holds() { return holds_; }

 private:
  void Allocate(const MemoryEvent& event);
  void Free(const MemoryEvent& event);
  void ReportOverlaps(const Place& place, const MemoryEvent& event);
  void Release(const Place& place, const MemoryEvent& event);
  void Gone(const Place& place, const Block& block, int64_t time);
  void Map(const MemoryEvent& event);
  void UnmapRange(uint64_t address, int64_t bytes, const MemoryEvent& event);
  void UndoFree(const MemoryEvent& event);
  void Refuse(const MemoryEvent& event);
  void DestroyContext(const MemoryEvent& event);
  void DropContext(DeviceState* state, Place place, const MemoryEvent& event);
  // The device of the memory with this handle; kNoDevice if there is none.
  int DeviceOf(uint64_t handle) const;

  LedgerWatcher* watcher_;
  MakeBlocks make_;
  std::map<int, DeviceState> devices_;
  LastFreed last_freed_;
  MemoryHolds holds_;
  Heap::Dropped dropped_;  // by the current allocation
};

}  // namespace inquest::trace
