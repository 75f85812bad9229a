#include "analyzer/memory/replay.h"

#include <algorithm>

#include "trace/event.h"

namespace inquest::memory {
namespace {

using trace::MemoryKind;
using trace::MemoryOp;

constexpr int kOutOfMemory = 2;          // CUDA_ERROR_OUT_OF_MEMORY
constexpr int kMostSnapshots = 64;       // heaps copied in one replay
constexpr size_t kMostRefusals = 10000;  // kept one by one

Heap* LayerOf(DeviceState* state, int kind) {
  switch (static_cast<MemoryKind>(kind)) {
    case MemoryKind::kFramework:
      return &state->framework;
    case MemoryKind::kArray:
    case MemoryKind::kPhysical:
      return &state->handles;
    case MemoryKind::kIpc:
    case MemoryKind::kExternal:
      return nullptr;  // somebody else's memory
    default:
      return &state->device;
  }
}

}  // namespace

void Replay::Add(const MemoryEvent& event) {
  switch (static_cast<MemoryOp>(event.op)) {
    case MemoryOp::kAlloc:
      if (event.result == 0) {
        Allocate(event);
      } else {
        Refuse(event);
      }
      break;
    case MemoryOp::kFree:
      Free(event);
      break;
    case MemoryOp::kFreeFailed: {
      if (event.address != last_freed_address_ || last_freed_.bytes == 0) break;
      Heap* layer = LayerOf(&devices_[event.device], last_freed_.kind);
      if (layer != nullptr) layer->Restore(event.address, last_freed_);
      sites_->Allocated(sites_->Find(last_freed_.stack, event.device),
                        last_freed_.bytes);
      break;
    }
    case MemoryOp::kContextDestroy:
      DestroyContext(event);
      break;
    default:
      break;  // ranges and mappings hold no memory of their own
  }
}

void Replay::Allocate(const MemoryEvent& event) {
  DeviceState& state = devices_[event.device];
  Heap* layer = LayerOf(&state, event.kind);
  if (layer == nullptr) return;
  layer->Allocate(event.address,
                  {event.bytes, event.id, event.time, event.stack,
                   event.context, static_cast<uint8_t>(event.kind)});
  if (layer != &state.framework) {
    sites_->Allocated(sites_->Find(event.stack, event.device), event.bytes);
  }
  if (state.live_bytes() > state.peak_bytes) {
    state.peak_bytes = state.live_bytes();
    state.peak_time = event.time;
  }
  auto& open = open_refusals_[event.device];
  std::erase_if(open, [&](size_t index) {
    refusals_[index].survived = event.bytes >= refusals_[index].event.bytes;
    return refusals_[index].survived;
  });
}

void Replay::Free(const MemoryEvent& event) {
  DeviceState& state = devices_[event.device];
  Heap* layer = LayerOf(&state, event.kind);
  if (layer == nullptr) return;
  const auto block = layer->Free(event.address);
  last_freed_ = block.value_or(Block{});
  last_freed_address_ = event.address;
  if (block && layer != &state.framework) {
    sites_->Freed(sites_->Find(block->stack, event.device), block->bytes);
  }
}

void Replay::Refuse(const MemoryEvent& event) {
  DeviceState& state = devices_[event.device];
  ++state.failed;
  sites_->Failed(sites_->Find(event.stack, event.device));
  if (event.result != kOutOfMemory || refusals_.size() >= kMostRefusals) return;
  Refusal refusal;
  refusal.event = event;
  refusal.live_bytes = state.live_bytes();
  refusal.framework_bytes = state.framework.live_bytes();
  refusal.gaps = state.device.FindGaps();
  if (snapshots_ < kMostSnapshots) {
    // The first and the latest are worth their memory; others give way.
    if (snapshots_ > 1) refusals_.back().heap.clear();
    refusal.heap = Snapshot(state.device, event.device, event.time);
    ++snapshots_;
  }
  open_refusals_[event.device].push_back(refusals_.size());
  refusals_.push_back(std::move(refusal));
}

std::vector<HeapSpan> Replay::Snapshot(const Heap& heap, int device,
                                       int64_t now) {
  std::vector<HeapSpan> spans;
  heap.ForEach([&](uint64_t address, int64_t bytes, const Block* block) {
    HeapSpan span;
    span.address = address;
    span.bytes = bytes;
    span.live = block != nullptr;
    if (block != nullptr) {
      span.event = block->event;
      span.site = sites_->Find(block->stack, device);
      span.age = now - block->time;
    }
    spans.push_back(span);
  });
  return spans;
}

void Replay::DropContext(Heap* heap, int device, uint64_t context) {
  std::vector<uint64_t> gone;
  for (const auto& [address, block] : heap->blocks()) {
    if (block.context == context) gone.push_back(address);
  }
  for (const uint64_t address : gone) {
    const auto block = heap->Free(address);
    sites_->Freed(sites_->Find(block->stack, device), block->bytes);
  }
}

void Replay::DestroyContext(const MemoryEvent& event) {
  const auto found = devices_.find(event.device);
  if (found == devices_.end()) return;
  DropContext(&found->second.device, event.device, event.context);
  DropContext(&found->second.handles, event.device, event.context);
}

int64_t Replay::LiveBytes() const {
  int64_t live = 0;
  for (const auto& [device, state] : devices_) {
    if (device >= 0) live += state.live_bytes();
  }
  return live;
}

}  // namespace inquest::memory
