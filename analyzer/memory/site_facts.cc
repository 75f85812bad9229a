// SPDX-License-Identifier: Apache-2.0
// The fact allocation_site of one process, written when its replay is over.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analyzer/memory/process_analysis.h"
#include "base/capped.h"
#include "base/rows.h"
#include "base/units.h"

namespace inquest::memory {
namespace {

struct SiteRow {
  template <class V>
  void Columns(V& v) {
    v("site", site);
    v("process", process);
    v("device", device);
    v("function", function);
    v("file", file);
    v("line", line);
    v("chain", chain);
    v("stack", stack);
    v("allocations", allocations);
    v("frees", frees);
    v("failures", failures);
    v("allocated_bytes", allocated_bytes);
    v("live_bytes", live_bytes);
    v("peak_bytes", peak_bytes);
    v("live_blocks", live_blocks);
    v("oldest_time", oldest_time);
    v("steps_held", steps_held);
    v("short_lived", short_lived);
    v("short_lived_bytes", short_lived_bytes);
    v("short_lived_time", short_lived_time);
    v("short_lived_by_driver", short_lived_by_driver);
  }

  void SetCounts(const Site& counted) {
    device = counted.device;
    chain = counted.chain;
    stack = counted.stack;
    allocations = counted.allocations;
    frees = counted.frees;
    failures = counted.failures;
    allocated_bytes = counted.allocated_bytes;
    live_bytes = counted.live_bytes;
    peak_bytes = counted.peak_bytes;
    live_blocks = counted.allocations - counted.frees;
  }
  void SetPlace(const Frame& frame) {
    function = frame.function;
    file = facts::NullIfEmpty(frame.file);
    if (file) line = frame.line;
  }
  void SetShortLived(const ShortLived& sums) {
    short_lived = sums.blocks;
    short_lived_bytes = sums.bytes;
    if (sums.blocks > 0) short_lived_time = sums.time / sums.blocks;
    short_lived_by_driver = sums.by_driver;
  }

  int64_t site = 0;
  int process = 0;
  int device = 0;
  std::string function;
  std::optional<std::string> file;
  std::optional<int> line;
  std::string chain;
  int64_t stack = 0;
  int64_t allocations = 0, frees = 0, failures = 0;
  int64_t allocated_bytes = 0, live_bytes = 0, peak_bytes = 0;
  int64_t live_blocks = 0;
  std::optional<int64_t> oldest_time, steps_held;
  std::optional<int64_t> short_lived, short_lived_bytes, short_lived_time;
  std::optional<int64_t> short_lived_by_driver;
};

}  // namespace

// By site, what its live blocks add up to.
std::map<size_t, ProcessAnalysis::Held> ProcessAnalysis::HeldBySite() {
  std::map<size_t, Held> held;
  for (const auto& [device, state] : replay_.devices()) {
    for (const Heap* heap : {&state.device, &state.handles, &state.framework}) {
      heap->blocks().Visit([&, device = device](uint64_t, const Block& block) {
        if (!trace::IsOfSites(block.kind)) return;
        Held& site = held[sites_.Find(block.stack, device)];
        site.bytes = AddCapped(site.bytes, block.bytes);
        site.oldest = std::min(site.oldest, block.time);
      });
    }
  }
  return held;
}

// Two counts of the same bytes: by the events of each site, and by the blocks
// that the replay is left with.
void ProcessAnalysis::CompareSite(const Site& site, int64_t held) {
  if (site.live_bytes == held) return;
  contradictions_.push_back(fmt::format(
      "GPU {}: the calls of {} leave {}, its live blocks are {}", site.device,
      site.chain.empty() ? "an unknown function" : site.chain,
      FormatBytes(site.live_bytes), FormatBytes(held)));
}

// Of the sites with several stacks all, of others the one, unless there are too
// many: then nothing is known of the rest.
Status ProcessAnalysis::WriteSiteStacks() {
  constexpr size_t kMaxStacks = 50'000;
  struct Sums {
    int64_t live = 0;
    int64_t peak = 0;
  };
  std::map<std::pair<int64_t, int>, Sums> held;  // by stack and device
  for (const auto& [device, state] : replay_.devices()) {
    for (const Heap* heap : {&state.device, &state.handles, &state.framework}) {
      heap->blocks().Visit([&, device = device](uint64_t, const Block& block) {
        if (!trace::IsOfSites(block.kind)) return;
        int64_t& live = held[{block.stack, device}].live;
        live = AddCapped(live, block.bytes);
      });
    }
    for (const bool of_pool : {false, true}) {
      for (const PeakBlock& one : replay_.PeakBlocks(device, of_pool)) {
        if (!trace::IsOfSites(one.block.kind)) continue;
        int64_t& peak = held[{one.block.stack, device}].peak;
        peak = AddCapped(peak, one.block.bytes);
      }
    }
  }
  std::map<std::pair<int64_t, int>, std::pair<size_t, int64_t>> stacks;
  sites_.ForEachStack(
      [&](int64_t stack, int device, size_t site, int64_t allocations) {
        if (stack != 0) stacks[{stack, device}] = {site, allocations};
      });
  if (stacks.size() > kMaxStacks) return Status::Ok();
  ASSIGN_OR_RETURN(Statement row,
                   store_->db().Prepare("INSERT INTO store_site_stack VALUES "
                                        "(?, ?, ?, ?, ?, ?, ?)"));
  for (const auto& [key, of] : stacks) {
    const Sums& sums = held[key];
    RETURN_IF_ERROR(row.Run(process_, key.second, SiteId(of.first), key.first,
                            of.second, sums.live, sums.peak));
  }
  return Status::Ok();
}

Status ProcessAnalysis::WriteSites() {
  ASSIGN_OR_RETURN(auto table,
                   InsertInto<SiteRow>(&store_->db(), "store_allocation_site"));
  const std::vector<int64_t> ends = steps_.Ends();
  const std::map<size_t, Held> all_held = HeldBySite();
  for (size_t i = 0; i < sites_.sites().size(); ++i) {
    const Site& site = sites_.sites()[i];
    SiteRow row;
    row.site = SiteId(i);
    row.process = process_;
    row.SetCounts(site);
    row.SetPlace(sites_.DistinguishingFrame(i));
    const auto held = all_held.find(i);
    CompareSite(site, held == all_held.end() ? 0 : held->second.bytes);
    if (held != all_held.end()) {
      row.oldest_time = AddCapped(held->second.oldest, offset_);
      row.steps_held = ends.end() - std::upper_bound(ends.begin(), ends.end(),
                                                     held->second.oldest);
    }
    if (!ends.empty()) row.SetShortLived(site.short_lived);
    RETURN_IF_ERROR(table.Add(row));
  }
  *next_site_ += static_cast<int64_t>(sites_.sites().size());
  return Status::Ok();
}

}  // namespace inquest::memory
