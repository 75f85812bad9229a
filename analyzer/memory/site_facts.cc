// SPDX-License-Identifier: Apache-2.0
// The fact allocation_site of one process, written when its replay is over.
#include <algorithm>
#include <map>
#include <optional>

#include "analyzer/memory/process_analysis.h"
#include "base/rows.h"

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

// By site, when the oldest block that it still holds was allocated.
std::map<size_t, int64_t> ProcessAnalysis::OldestLive() {
  std::map<size_t, int64_t> oldest;
  for (const auto& [device, state] : replay_.devices()) {
    for (const Heap* heap : {&state.device, &state.handles, &state.framework}) {
      heap->blocks().Visit([&, device = device](uint64_t, const Block& block) {
        if (!trace::IsOfSites(block.kind)) return;
        const auto [at, is_new] =
            oldest.try_emplace(sites_.Find(block.stack, device), block.time);
        if (!is_new) at->second = std::min(at->second, block.time);
      });
    }
  }
  return oldest;
}

Status ProcessAnalysis::WriteSites() {
  ASSIGN_OR_RETURN(auto table,
                   InsertInto<SiteRow>(&store_->db(), "store_allocation_site"));
  const std::vector<int64_t> ends = steps_.Ends();
  const std::map<size_t, int64_t> oldest = OldestLive();
  for (size_t i = 0; i < sites_.sites().size(); ++i) {
    const Site& site = sites_.sites()[i];
    SiteRow row;
    row.site = SiteId(i);
    row.process = process_;
    row.SetCounts(site);
    row.SetPlace(sites_.DistinguishingFrame(i));
    if (const auto held = oldest.find(i); held != oldest.end()) {
      row.oldest_time = held->second + offset_;
      row.steps_held =
          ends.end() - std::upper_bound(ends.begin(), ends.end(), held->second);
    }
    if (!ends.empty()) row.SetShortLived(site.short_lived);
    RETURN_IF_ERROR(table.Add(row));
  }
  *next_site_ += static_cast<int64_t>(sites_.sites().size());
  return Status::Ok();
}

}  // namespace inquest::memory
