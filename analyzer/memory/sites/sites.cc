// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/sites/sites.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/capped.h"

namespace inquest::memory {
namespace {

constexpr size_t kMaxChain = 8;  // functions named in a site

uint64_t Key(int64_t stack, int device) {
  return static_cast<uint64_t>(stack) << 8 | static_cast<uint8_t>(device);
}

bool EndsProgram(const Frame& frame) {
  return frame.function == "main" || frame.function == "clone" ||
         frame.function == "start_thread";
}

bool IsRuntime(const Frame& frame) {
  for (const std::string_view module :
       {"libc.so", "libpthread", "ld-linux", "libstdc++", "libinquest"}) {
    if (frame.module.starts_with(module)) return true;
  }
  return false;
}

// For stacks without a frame of the program's own: code without a file, as
// run-time compilers generate it, or else the library that requested the memory
// for itself.
std::vector<Frame> BestKnown(const std::vector<Frame>& frames) {
  std::vector<Frame> known;
  for (const Frame& frame : frames) {
    if (frame.module.empty() && !frame.function.empty()) known.push_back(frame);
    if (known.size() == kMaxChain) break;
  }
  if (!known.empty()) known.front().function += " in an unnamed mapping";
  for (auto at = frames.rbegin(); known.empty() && at != frames.rend(); ++at) {
    if (!IsRuntime(*at) && !at->function.empty()) known.push_back(*at);
  }
  return known;
}

}  // namespace

size_t SiteTable::Make(int64_t stack, int device) {
  Site site;
  site.device = device;
  site.stack = stack;
  const std::vector<Frame> frames = frames_(stack);
  for (const Frame& frame : frames) {
    if (IsMachinery(frame)) continue;
    site.frames.push_back(frame);
    if (site.frames.size() == kMaxChain || EndsProgram(frame)) break;
  }
  if (site.frames.empty()) site.frames = BestKnown(frames);
  if (site.frames.empty()) {
    site.frames.emplace_back().function =
        stack == 0 ? "(no stack recorded)" : "(unknown)";
  }
  for (const Frame& frame : site.frames) {
    site.chain.append(site.chain.empty() ? "" : " < ").append(frame.function);
  }
  const std::string key = std::to_string(device) + '|' + site.chain + '|' +
                          std::to_string(site.frames.front().line);
  const auto [found, is_new] = by_chain_.try_emplace(key, sites_.size());
  if (is_new) sites_.push_back(std::move(site));
  return found->second;
}

SiteTable::OfStack& SiteTable::Of(int64_t stack, int device) {
  const uint64_t key = Key(stack, device);
  if (const auto found = by_stack_.find(key); found != by_stack_.end()) {
    return found->second;
  }
  const size_t site = Make(stack, device);
  return by_stack_.emplace(key, OfStack{site, stack, device}).first->second;
}

void SiteTable::CountFunctions() const {
  for (; counted_ < sites_.size(); ++counted_) {
    std::set<std::string_view> functions;
    for (const Frame& frame : sites_[counted_].frames) {
      if (functions.insert(frame.function).second) ++sites_of_[frame.function];
    }
  }
}

Frame SiteTable::DistinguishingFrame(size_t index) const {
  CountFunctions();
  const Site& site = sites_[index];
  for (const Frame& frame : site.frames) {
    if (sites_of_[frame.function] == 1) return frame;
  }
  return site.frames.front();
}

void SiteTable::OnAlloc(size_t index, int64_t bytes) {
  Site& site = sites_[index];
  ++site.allocations;
  site.allocated_bytes = AddCapped(site.allocated_bytes, bytes);
  site.live_bytes = AddCapped(site.live_bytes, bytes);
  site.peak_bytes = std::max(site.peak_bytes, site.live_bytes);
}

void SiteTable::OnFree(size_t index, int64_t bytes) {
  Site& site = sites_[index];
  ++site.frees;
  site.live_bytes = SubtractCapped(site.live_bytes, bytes);
  site.by_step.OnDecrease(site.live_bytes);
}

void SiteTable::CountShortLived(size_t index, int64_t bytes, int64_t time,
                                bool by_driver) {
  ShortLived& sums = sites_[index].short_lived;
  ++sums.blocks;
  sums.bytes = AddCapped(sums.bytes, bytes);
  sums.time = AddCapped(sums.time, time);
  sums.by_driver += by_driver ? 1 : 0;
}

void SiteTable::UndoFree(size_t index, int64_t bytes) {
  --sites_[index].frees;
  sites_[index].live_bytes = AddCapped(sites_[index].live_bytes, bytes);
}

void SiteTable::Resume(size_t index, const SiteCounts& counts) {
  Site& site = sites_[index];
  site.allocations += counts.allocations;
  site.frees += counts.frees;
  site.failures += counts.failures;
  site.allocated_bytes =
      AddCapped(site.allocated_bytes, counts.allocated_bytes);
  site.live_bytes = AddCapped(site.live_bytes, counts.live_bytes);
  site.peak_bytes =
      std::max({site.peak_bytes, counts.peak_bytes, site.live_bytes});
}

void SiteTable::EndStep(int64_t step) {
  for (Site& site : sites_) site.by_step.EndStep(step, site.live_bytes);
}

}  // namespace inquest::memory
