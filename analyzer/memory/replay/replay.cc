// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/replay/replay.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "trace/records/event.h"

namespace inquest::memory {
namespace {

constexpr int kOutOfMemory = 2;         // CUDA_ERROR_OUT_OF_MEMORY
constexpr int kMaxSnapshots = 64;       // heaps copied in one replay
constexpr size_t kMaxRefusals = 10000;  // kept one by one

int64_t GrantedOn(const DeviceState& state) {
  return state.device.allocations() + state.handles.allocations() +
         state.framework.allocations();
}

// The reason of a refusal cannot be found if the request's size is unknown, or
// if only the blocks of a pool are known: then the free space in it is unknown.
bool CanBeMeasured(const MemoryEvent& event, bool of_pool,
                   const DeviceState& state) {
  return event.bytes > 0 && (!of_pool || state.device.allocations() > 0 ||
                             state.device.peak_bytes() > 0);
}

// cudaMalloc and similar calls, whose free waits for the device.
bool IsOfSynchronousCall(const Block& block) {
  const auto kind = static_cast<trace::MemoryKind>(block.kind);
  return kind == trace::MemoryKind::kDevice ||
         kind == trace::MemoryKind::kManaged ||
         kind == trace::MemoryKind::kArray;
}

}  // namespace

Replay::Replay(SiteTable* sites)
    : sites_(sites), ledger_(this, [](int, trace::Layer) {
        return std::make_unique<trace::MapBlocks>();
      }) {}

void Replay::OnSiteAlloc(int device, int64_t stack, int64_t bytes) {
  sites_->OnAlloc(sites_->FindForAlloc(stack, device), bytes);
}

// OnFree has just stored this block in freed_.
void Replay::OnSiteFree(int device, int64_t stack, int64_t bytes) {
  const size_t site = sites_->Find(stack, device);
  sites_->OnFree(site, bytes);
  if (freed_.event <= step_end_ || freed_.time > last_step_end_) return;
  sites_->CountShortLived(site, bytes, freed_time_ - freed_.time,
                          IsOfSynchronousCall(freed_));
}

void Replay::OnSiteRestore(int device, int64_t stack, int64_t bytes) {
  sites_->UndoFree(sites_->Find(stack, device), bytes);
}

void Replay::OnFree(const trace::Place& place, const Block& block,
                    int64_t time) {
  changed_ = true;
  freed_ = block;
  freed_time_ = time;
  faults_.Freed(place);
  PeakOf(place).OnFree(place.address, block, time);
  if (follower_ != nullptr) follower_->OnFree(place, block, time);
}

void Replay::OnRestore(const trace::Place& place, const Block& block) {
  PeakOf(place).OnRestore(block);
  if (follower_ != nullptr) follower_->OnRestore(place, block);
}

void Replay::OnUnknownFree(const trace::Place& place,
                           const MemoryEvent& event) {
  faults_.UnknownFree(place, event);
}

void Replay::OnOverlap(const trace::Place& place, const MemoryEvent& event) {
  faults_.Overlap(place, event);
}

std::vector<PeakBlock> Replay::PeakBlocks(int device, bool of_pool) const {
  const Peak* peak = PeakOf(device, of_pool);
  if (peak == nullptr || !peak->is_known()) return {};
  std::vector<PeakBlock> blocks = peak->freed();
  const DeviceState& state = ledger_.devices().at(device);
  const auto add = [&](uint64_t address, const Block& block) {
    if (block.event <= peak->event()) blocks.push_back({address, block});
  };
  if (of_pool) {
    state.framework.blocks().Visit(add);
  } else {
    state.device.blocks().Visit(add);
    state.handles.blocks().Visit(add);
  }
  return blocks;
}

void Replay::OnAlloc(const MemoryEvent& event, const DeviceState& state) {
  changed_ = true;
  auto& peaks = peaks_[event.device];
  peaks[0].OnHeld(state.live_bytes(), event);
  peaks[1].OnHeld(state.framework.live_bytes(), event);
  if (!open_refusals_.empty()) Survive(event);
}

// As the fold does (SurvivedBy), and for all stacks of the same site.
void Replay::Survive(const MemoryEvent& event) {
  const auto open =
      open_refusals_.find(sites_->Find(event.stack, event.device));
  if (open == open_refusals_.end()) return;
  auto& by_bytes = open->second;
  const auto [least, most] = trace::SurvivedBy(event);
  const auto begin = by_bytes.lower_bound(least);
  const auto end = by_bytes.upper_bound(most);
  for (auto at = begin; at != end; ++at) {
    refusals_[at->second].survived = true;
  }
  by_bytes.erase(begin, end);
  if (by_bytes.empty()) open_refusals_.erase(open);
}

void Replay::SurviveSteps(const std::vector<int64_t>& ends) {
  constexpr int64_t kEnough = 2;  // the step of the refusal may end as well
  for (Refusal& refusal : refusals_) {
    const auto later =
        std::upper_bound(ends.begin(), ends.end(), refusal.event.time);
    if (ends.end() - later > kEnough) refusal.survived = true;
  }
}

void Replay::SurviveWork() {
  constexpr int64_t kLeast = 64;  // allocations
  for (Refusal& refusal : refusals_) {
    const int64_t granted =
        GrantedOn(ledger_.devices().at(refusal.event.device));
    const int64_t after = granted - refusal.granted;
    if (after >= std::max(kLeast, refusal.granted)) refusal.survived = true;
  }
}

void Replay::OnRefusal(const MemoryEvent& event, const DeviceState& state) {
  sites_->OnFailure(sites_->Find(event.stack, event.device), event.refusals());
  if (event.result != kOutOfMemory) return;
  const bool of_pool =
      event.kind == static_cast<int>(trace::MemoryKind::kFramework);
  if (!CanBeMeasured(event, of_pool, state)) return;
  if (IsRepeated(event)) return;
  Refusal refusal;
  refusal.event = event;
  refusal.live_bytes = state.live_bytes();
  refusal.framework_bytes = state.framework.live_bytes();
  refusal.granted = GrantedOn(state);
  refusal.of_pool = of_pool;
  std::vector<PoolSpan> pool;
  if (refusal.framework_bytes > 0) pool = MapPool(state, torch_);
  if (!refusal.of_pool) refusal.idle_in_pool = GapsOf(pool).total;
  refusal.gaps = refusal.of_pool ? GapsOf(pool) : state.device.FindGaps();
  if (snapshots_ < kMaxSnapshots) {
    // The first and the latest heap are kept, the others are dropped.
    if (snapshots_ > 1) {
      refusals_.back().heap.clear();
      refusals_.back().held.clear();
      refusals_.back().made.clear();
    }
    refusal.held = HeldOn(event.device, state);
    refusal.made = MadeBy(refusal.held, event);
    refusal.heap = refusal.of_pool
                       ? Snapshot(pool, event.device, event.time)
                       : Snapshot(state.device, event.device, event.time);
    ++snapshots_;
  }
  Keep(std::move(refusal));
}

// Of a program that tries the same again and again, while nothing else happens,
// only the first and the last refusal are kept.
bool Replay::IsRepeated(const MemoryEvent& event) {
  if (refusals_.empty() || changed_) {
    changed_ = false;
    again_ = false;
    return false;
  }
  MemoryEvent& last = refusals_.back().event;
  const bool same = last.device == event.device && last.kind == event.kind &&
                    last.bytes == event.bytes && last.stack == event.stack;
  if (same && again_) {
    last = event;
    return true;
  }
  again_ = same;
  return false;
}

void Replay::Keep(Refusal refusal) {
  // One more replaces the latest: the one that ended the run is among them.
  if (refusals_.size() >= kMaxRefusals) {
    refusals_.back() = std::move(refusal);
    return;
  }
  if (!refusal.survived) {
    const MemoryEvent& event = refusal.event;
    open_refusals_[sites_->Find(event.stack, event.device)].emplace(
        event.bytes, refusals_.size());
  }
  refusals_.push_back(std::move(refusal));
}

HeldBlock Replay::HeldOf(int device, const Block& block) {
  return {sites_->Find(block.stack, device), block.stack, block.bytes,
          block.event, block.time};
}

std::vector<HeldBlock> Replay::HeldOn(int device, const DeviceState& state) {
  std::vector<HeldBlock> held;
  for (const Heap* heap : {&state.device, &state.handles, &state.framework}) {
    heap->blocks().Visit([&](uint64_t, const Block& block) {
      if (trace::IsOfSites(block.kind)) held.push_back(HeldOf(device, block));
    });
  }
  return held;
}

std::unordered_map<int64_t, SiteCounts> Replay::MadeBy(
    const std::vector<HeldBlock>& held, const MemoryEvent& refused) {
  std::unordered_map<int64_t, SiteCounts> made;
  const auto note = [&](int64_t stack, size_t site) {
    made.try_emplace(stack, sites_->sites()[site]);
  };
  for (const HeldBlock& one : held) note(one.stack, one.site);
  note(refused.stack, sites_->Find(refused.stack, refused.device));
  return made;
}

HeapSpan Replay::LiveSpan(int device, const Block& block, int64_t now) {
  HeapSpan span;
  span.live = true;
  span.event = block.event;
  span.site = sites_->Find(block.stack, device);
  span.age = now - block.time;
  return span;
}

std::vector<HeapSpan> Replay::Snapshot(const Heap& heap, int device,
                                       int64_t now) {
  std::vector<HeapSpan> spans;
  heap.ForEach([&](uint64_t address, int64_t bytes, const Block* block) {
    HeapSpan span;
    if (block != nullptr) span = LiveSpan(device, *block, now);
    span.address = address;
    span.bytes = bytes;
    spans.push_back(span);
  });
  return spans;
}

std::vector<HeapSpan> Replay::Snapshot(const std::vector<PoolSpan>& pool,
                                       int device, int64_t now) {
  std::vector<HeapSpan> spans;
  for (const PoolSpan& piece : pool) {
    HeapSpan span;
    if (piece.live) span = LiveSpan(device, piece.block, now);
    span.address = piece.address;
    span.bytes = piece.bytes;
    spans.push_back(span);
  }
  return spans;
}

}  // namespace inquest::memory
