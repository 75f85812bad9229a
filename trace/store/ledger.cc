// SPDX-License-Identifier: Apache-2.0
#include "trace/store/ledger.h"

#include <climits>
#include <optional>
#include <vector>

#include "trace/records/event.h"

namespace inquest::trace {
namespace {

constexpr int kNoDevice = INT_MIN;
constexpr int kPhysical = static_cast<int>(MemoryKind::kPhysical);

// Nothing if the memory belongs to another process or library.
std::optional<Layer> LayerOf(int kind) {
  switch (static_cast<MemoryKind>(kind)) {
    case MemoryKind::kFramework:
      return Layer::kFramework;
    case MemoryKind::kArray:
    case MemoryKind::kPhysical:
      return Layer::kHandles;
    case MemoryKind::kIpc:
    case MemoryKind::kExternal:
      return {};
    default:
      return Layer::kDevice;
  }
}

}  // namespace

bool IsOfSites(int kind) {
  const auto one = static_cast<MemoryKind>(kind);
  return one != MemoryKind::kSegment && one != MemoryKind::kMapped;
}

DeviceState& Ledger::Device(int device) {
  return devices_.try_emplace(device, device, make_).first->second;
}

void Ledger::Add(const MemoryEvent& event) {
  switch (static_cast<MemoryOp>(event.op)) {
    case MemoryOp::kAlloc:
      return event.result == 0 ? Allocate(event) : Refuse(event);
    case MemoryOp::kFree:
      return Free(event);
    case MemoryOp::kFreeFailed:
      return UndoFree(event);
    case MemoryOp::kContextDestroy:
      return DestroyContext(event);
    case MemoryOp::kMap:
      return Map(event);
    case MemoryOp::kUnmap:
      return UnmapRange(event.address, event.bytes, event);
    case MemoryOp::kRetain:
      if (event.result == 0 && DeviceOf(event.address) != kNoDevice) {
        holds_.Retain(event.address);
      }
      return;
    default:
      return;  // address ranges hold no memory themselves
  }
}

void Ledger::Allocate(const MemoryEvent& event) {
  const std::optional<Layer> layer = LayerOf(event.kind);
  if (!layer) return;
  DeviceState& state = Device(event.device);
  state.layer(*layer).Allocate(
      event.address,
      {event.bytes, event.id, event.time, event.stack, event.context,
       static_cast<uint8_t>(event.kind)},
      &dropped_);
  if (!dropped_.empty()) {
    ReportOverlaps({event.device, *layer, event.address}, event);
  }
  if (IsOfSites(event.kind)) {
    watcher_->OnSiteAlloc(event.device, event.stack, event.bytes);
  }
  if (state.live_bytes() > state.peak_bytes) {
    state.peak_bytes = state.live_bytes();
    state.peak_time = event.time;
  }
  watcher_->OnAlloc(event, state);
}

void Ledger::ReportOverlaps(const Place& place, const MemoryEvent& event) {
  for (const auto& [address, block] : dropped_) {
    Gone({place.device, place.layer, address}, block, event.time);
    watcher_->OnOverlap(place, event);
  }
  dropped_.clear();
}

void Ledger::Free(const MemoryEvent& event) {
  const std::optional<Layer> layer = LayerOf(event.kind);
  if (!layer) return;
  const Place place{event.device, *layer, event.address};
  if (event.kind == kPhysical && !holds_.empty() &&
      holds_.Drop(event.address)) {
    last_freed_ = {place.device, place.address, {}};
    last_freed_.block.kind = static_cast<uint8_t>(MemoryKind::kPhysical);
    return;
  }
  Release(place, event);
}

void Ledger::Release(const Place& place, const MemoryEvent& event) {
  const auto block =
      Device(place.device).layer(place.layer).Free(place.address);
  last_freed_ = {place.device, place.address, block.value_or(Block{})};
  if (!block) return watcher_->OnUnknownFree(place, event);
  Gone(place, *block, event.time);
}

void Ledger::Gone(const Place& place, const Block& block, int64_t time) {
  watcher_->OnFree(place, block, time);
  if (IsOfSites(block.kind)) {
    watcher_->OnSiteFree(place.device, block.stack, block.bytes);
  }
}

void Ledger::Map(const MemoryEvent& event) {
  if (event.result != 0 || event.mapped == 0) return;
  if (DeviceOf(event.mapped) == kNoDevice) return;  // not allocated here
  // A mapping at this address must have been unmapped: that event was lost.
  if (!holds_.empty()) UnmapRange(event.address, 1, event);
  holds_.Map(event.address, event.mapped);
}

// A failed unmap is not undone: it fails only when the context is lost.
void Ledger::UnmapRange(uint64_t address, int64_t bytes,
                        const MemoryEvent& event) {
  for (const uint64_t handle : holds_.Unmap(address, bytes)) {
    if (holds_.Drop(handle)) continue;
    const int device = DeviceOf(handle);
    if (device != kNoDevice) Release({device, Layer::kHandles, handle}, event);
  }
}

int Ledger::DeviceOf(uint64_t handle) const {
  for (const auto& [device, state] : devices_) {
    const auto block = state.handles.blocks().Find(handle);
    if (block && block->kind == kPhysical) return device;
  }
  return kNoDevice;
}

void Ledger::UndoFree(const MemoryEvent& event) {
  const LastFreed freed = last_freed_;
  if (event.address != freed.address) return;
  const std::optional<Layer> layer = LayerOf(freed.block.kind);
  if (!layer) return;
  last_freed_ = {};
  if (freed.block.bytes == 0) {
    if (freed.block.kind == kPhysical) holds_.Retain(freed.address);
    return;
  }
  Device(freed.device)
      .layer(*layer)
      .Restore(freed.address, freed.block, &dropped_);
  ReportOverlaps({freed.device, *layer, freed.address}, event);
  watcher_->OnRestore({freed.device, *layer, freed.address}, freed.block);
  if (IsOfSites(freed.block.kind)) {
    watcher_->OnSiteRestore(freed.device, freed.block.stack, freed.block.bytes);
  }
}

void Ledger::Refuse(const MemoryEvent& event) {
  DeviceState& state = Device(event.device);
  state.failed += event.refusals();
  watcher_->OnRefusal(event, state);
}

void Ledger::DropContext(DeviceState* state, Place place,
                         const MemoryEvent& event) {
  Heap& heap = state->layer(place.layer);
  std::vector<uint64_t> gone;
  heap.blocks().Visit([&](uint64_t address, const Block& block) {
    if (block.context == event.context) gone.push_back(address);
  });
  for (const uint64_t address : gone) {
    const auto block = heap.Free(address);
    if (!block) continue;
    place.address = address;
    Gone(place, *block, event.time);
  }
}

void Ledger::DestroyContext(const MemoryEvent& event) {
  const auto found = devices_.find(event.device);
  if (found == devices_.end()) return;
  for (const Layer layer : {Layer::kDevice, Layer::kHandles}) {
    DropContext(&found->second, {event.device, layer, 0}, event);
  }
}

int64_t Ledger::LiveBytes() const {
  int64_t live = 0;
  for (const auto& [device, state] : devices_) {
    if (device >= 0) live += state.live_bytes();
  }
  return live;
}

}  // namespace inquest::trace
