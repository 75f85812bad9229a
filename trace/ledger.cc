#include "trace/ledger.h"

#include <optional>
#include <vector>

#include "trace/event.h"

namespace inquest::trace {
namespace {

// Nothing where the memory is somebody else's.
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

// Whether sites are told: a pool's own memory is not theirs who ask the pool.
bool IsOfSites(int kind) {
  const auto one = static_cast<MemoryKind>(kind);
  return one != MemoryKind::kSegment && one != MemoryKind::kMapped;
}

}  // namespace

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
      return TakeFreeBack(event);
    case MemoryOp::kContextDestroy:
      return DestroyContext(event);
    default:
      return;  // ranges and mappings hold no memory of their own
  }
}

void Ledger::Allocate(const MemoryEvent& event) {
  const std::optional<Layer> layer = LayerOf(event.kind);
  if (!layer) return;
  DeviceState& state = Device(event.device);
  state.layer(*layer).Allocate(
      event.address, {event.bytes, event.id, event.time, event.stack,
                      event.context, static_cast<uint8_t>(event.kind)});
  if (IsOfSites(event.kind)) {
    watcher_->Held(event.device, event.stack, event.bytes);
  }
  if (state.live_bytes() > state.peak_bytes) {
    state.peak_bytes = state.live_bytes();
    state.peak_time = event.time;
  }
  watcher_->Got(event);
}

void Ledger::Free(const MemoryEvent& event) {
  const std::optional<Layer> layer = LayerOf(event.kind);
  if (!layer) return;
  const auto block = Device(event.device).layer(*layer).Free(event.address);
  last_freed_ = {event.device, event.address, block.value_or(Block{})};
  if (block && IsOfSites(block->kind)) {
    watcher_->GaveBack(event.device, block->stack, block->bytes);
  }
}

void Ledger::TakeFreeBack(const MemoryEvent& event) {
  const LastFreed& freed = last_freed_;
  if (event.address != freed.address || freed.block.bytes == 0) return;
  const std::optional<Layer> layer = LayerOf(freed.block.kind);
  if (!layer) return;
  Device(freed.device).layer(*layer).Restore(freed.address, freed.block);
  if (IsOfSites(freed.block.kind)) {
    watcher_->HeldAgain(freed.device, freed.block.stack, freed.block.bytes);
  }
  last_freed_ = {};
}

void Ledger::Refuse(const MemoryEvent& event) {
  DeviceState& state = Device(event.device);
  ++state.failed;
  watcher_->Refused(event, state);
}

void Ledger::DropContext(Heap* heap, int device, uint64_t context) {
  std::vector<uint64_t> gone;
  heap->blocks().Visit([&](uint64_t address, const Block& block) {
    if (block.context == context) gone.push_back(address);
  });
  for (const uint64_t address : gone) {
    const auto block = heap->Free(address);
    if (block) watcher_->GaveBack(device, block->stack, block->bytes);
  }
}

void Ledger::DestroyContext(const MemoryEvent& event) {
  const auto found = devices_.find(event.device);
  if (found == devices_.end()) return;
  DropContext(&found->second.device, event.device, event.context);
  DropContext(&found->second.handles, event.device, event.context);
}

int64_t Ledger::LiveBytes() const {
  int64_t live = 0;
  for (const auto& [device, state] : devices_) {
    if (device >= 0) live += state.live_bytes();
  }
  return live;
}

}  // namespace inquest::trace
