// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/timeline/category_keeper.h"

#include <algorithm>

#include "analyzer/memory/peaks/block_life.h"
#include "analyzer/memory/peaks/lasting_blocks.h"
#include "base/capped.h"
#include "trace/records/event.h"

namespace inquest::memory {
namespace {

constexpr size_t kMaxLasting = 300'000;
constexpr size_t kMaxSizes = 512;  // of blocks of backward passes

}  // namespace

void CategoryKeeper::Before(const trace::MemoryEvent& event) {
  if (event.op != static_cast<int>(trace::MemoryOp::kFreeFailed)) Flush();
  event_ = event.id;
  for (auto& [layer, of] : layers_) of.bins.Begin(event.id);
}

void CategoryKeeper::After(const trace::MemoryEvent& event,
                           const std::map<int, trace::DeviceState>& devices) {
  const int64_t time = AddCapped(event.time, offset_);
  for (const auto& [device, state] : devices) {
    if (device < 0) continue;
    for (const bool of_pool : {false, true}) {
      if (of_pool && state.framework.peak_bytes() == 0) continue;
      EventBins& bins = layers_[{device, of_pool}].bins;
      bins.Begin(event.id);
      bins.End(event.id, time,
               of_pool ? state.framework.live_bytes() : state.live_bytes());
    }
  }
}

void CategoryKeeper::OnFree(const trace::Place& place,
                            const trace::Block& block, int64_t time) {
  if (place.device < 0 || !trace::IsOfSites(block.kind)) return;
  const bool of_pool = place.layer == trace::Layer::kFramework;
  freed_.push_back(
      {{place.device, of_pool}, place.address, block, LifeOf(block, time)});
}

void CategoryKeeper::OnRestore(const trace::Place& place,
                               const trace::Block& block) {
  std::erase_if(freed_, [&](const Freed& one) {
    return one.address == place.address && one.block.event == block.event;
  });
}

CategoryKeeper::Life CategoryKeeper::LifeOf(
    const trace::Block& block, std::optional<int64_t> freed) const {
  if (before_ > 0 && block.event <= before_) return Life::kLasting;
  if (block.event <= (freed ? step_before_ : step_end_)) return Life::kLasting;
  if (step_end_ < 0 && usual_step_ == 0) return Life::kUnknown;
  if (freed && usual_step_ > 0 &&
      SubtractCapped(*freed, block.time) < usual_step_ / kTransientPart) {
    return Life::kTransient;
  }
  return freed && usual_step_ == 0 ? Life::kUnknown : Life::kStep;
}

// Empty: it is known at the end whether there are steps.
std::string CategoryKeeper::NameOf(const CodePlace& place, Life life) const {
  if (place.code == Code::kNamed) return place.name;
  if (place.code == Code::kNccl) return "NCCL";
  if (place.code == Code::kOptimizer || life == Life::kTransient) {
    return "workspace";
  }
  return life == Life::kStep ? "activations" : "";
}

size_t CategoryKeeper::Named(Of* of, const std::string& name) {
  const auto [found, is_new] = of->by_name.try_emplace(name, of->groups);
  if (is_new) ++of->groups;
  return found->second;
}

size_t CategoryKeeper::GroupOf(Of* of, const trace::Block& block, Life life) {
  const CodePlace* place = nullptr;
  int& known = of->by_stack[block.stack][static_cast<size_t>(life)];
  if (known > 0) return static_cast<size_t>(known) - 1;
  place = &places_->Of(block.stack);
  if (place->code == Code::kBackward && block.bytes >= kScalar &&
      of->by_size.size() < kMaxSizes) {
    const auto [found, is_new] =
        of->by_size.try_emplace({block.bytes, life}, of->groups);
    if (is_new) ++of->groups;
    return found->second;
  }
  const size_t group = Named(of, NameOf(*place, life));
  if (place->code != Code::kBackward) known = static_cast<int>(group) + 1;
  return group;
}

void CategoryKeeper::Flush() {
  for (const Freed& one : freed_) {
    const auto found = layers_.find(one.layer);
    if (found == layers_.end() || found->second.bins.bins().empty()) continue;
    Of& of = found->second;
    const trace::Block& block = one.block;
    const Life life = one.life;
    if (life != Life::kLasting) {
      of.bins.Free(GroupOf(&of, block, life), block.bytes, block.event);
    } else if (of.lasting.size() < kMaxLasting) {
      of.lasting.push_back(
          {one.address, block.bytes, block.stack, block.event, event_});
    } else {
      of.bins.Free(Named(&of, kUntold), block.bytes, block.event);
    }
  }
  freed_.clear();
}

void CategoryKeeper::Tell(const Layer& layer, uint64_t address,
                          const trace::Block& block,
                          const std::string& category, bool lasts) {
  if (!lasts) return;
  Of& of = layers_[layer];
  of.told[{address, block.event}] = category;
  const auto [alike, is_new] =
      of.alike.try_emplace({block.stack, block.bytes}, category);
  if (!is_new && alike->second != category) alike->second = kUntold;
  if (category != "other") of.lasting_sizes.insert(block.bytes);
}

std::string CategoryKeeper::CategoryOf(const Of& of, const Lasting& one) {
  const auto told = of.told.find({one.address, one.made});
  if (told != of.told.end()) return told->second;
  const auto alike = of.alike.find({one.stack, one.bytes});
  if (alike != of.alike.end()) return alike->second;
  const CodePlace& place = places_->Of(one.stack);
  if (place.code == Code::kNamed) return place.name;
  if (place.code == Code::kNccl) return "NCCL";
  return place.code == Code::kOptimizer ? "optimizer" : kUntold;
}

}  // namespace inquest::memory
