// What the analysis of one process writes when its replay is over.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "analyzer/memory/peaks/peak_facts.h"
#include "analyzer/memory/pool/held_facts.h"
#include "analyzer/memory/process_analysis.h"
#include "analyzer/memory/refusals/refusal_facts.h"

namespace inquest::memory {

std::optional<int64_t> ProcessAnalysis::QueryFor(const std::string& select,
                                                 int device) {
  auto row = store_->db().Prepare(select);
  if (!row.ok()) return {};
  row->Bind(0, int64_t{device});
  if (!row->Step() || row->IsNull(0)) return {};
  return row->Int(0);
}

std::optional<int64_t> ProcessAnalysis::FreeAtStart(int device) {
  return QueryFor("SELECT free_bytes FROM " + prefix_ +
                      "device_memory WHERE device = ? AND reason = 'start' "
                      "ORDER BY time_ns LIMIT 1",
                  device);
}

std::optional<int64_t> ProcessAnalysis::Capacity(int device) {
  return QueryFor("SELECT nullif(total_bytes, 0) FROM " + prefix_ +
                      "device WHERE ordinal = ?",
                  device);
}

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

void ProcessAnalysis::BindShortLived(const ShortLived& sums, bool has_steps,
                                     Statement* row) {
  for (int i = 17; i < 21; ++i) row->BindNull(i);
  if (!has_steps) return;
  row->Bind(17, sums.blocks).Bind(18, sums.bytes);
  if (sums.blocks > 0) row->Bind(19, sums.time / sums.blocks);
  row->Bind(20, sums.by_driver);
}

Status ProcessAnalysis::WriteSites() {
  ASSIGN_OR_RETURN(Statement row, store_->db().Prepare(
                                      "INSERT INTO store_site VALUES (?, ?, "
                                      "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                                      "?, ?, ?, ?, ?, ?)"));
  const std::vector<int64_t> ends = steps_.Ends();
  const std::map<size_t, int64_t> oldest = OldestLive();
  for (size_t i = 0; i < sites_.sites().size(); ++i) {
    const Site& site = sites_.sites()[i];
    row.Bind(0, SiteId(i)).Bind(1, int64_t{process_});
    const Frame frame = sites_.TellingFrame(i);
    row.Bind(2, int64_t{site.device}).Bind(3, frame.function);
    row.BindNull(4).BindNull(5);
    if (!frame.file.empty()) {
      row.Bind(4, frame.file).Bind(5, int64_t{frame.line});
    }
    row.Bind(6, site.chain).Bind(7, site.stack).Bind(8, site.allocations);
    row.Bind(9, site.frees).Bind(10, site.failures);
    row.Bind(11, site.allocated_bytes).Bind(12, site.live_bytes);
    row.Bind(13, site.peak_bytes).Bind(14, site.allocations - site.frees);
    row.BindNull(15).BindNull(16);
    if (const auto held = oldest.find(i); held != oldest.end()) {
      row.Bind(15, held->second + offset_);
      row.Bind(16, static_cast<int64_t>(
                       ends.end() - std::upper_bound(ends.begin(), ends.end(),
                                                     held->second)));
    }
    BindShortLived(site.short_lived, !ends.empty(), &row);
    RETURN_IF_ERROR(row.Run());
  }
  *next_site_ += static_cast<int64_t>(sites_.sites().size());
  return Status::Ok();
}

// 0: not known.
int64_t ProcessAnalysis::ContextsAtPeak(int device) const {
  std::set<uint64_t> contexts;
  for (const PeakBlock& one : replay_.PeakBlocks(device, false)) {
    if (one.block.context != 0) contexts.insert(one.block.context);
  }
  return static_cast<int64_t>(contexts.size());
}

Status ProcessAnalysis::WriteUsage() {
  ASSIGN_OR_RETURN(
      Statement row,
      store_->db().Prepare("INSERT INTO store_device_usage VALUES (?, ?, ?, ?, "
                           "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  for (const auto& [device, state] : replay_.devices()) {
    const auto& heap = state.device;
    const auto& handles = state.handles;
    row.Bind(0, int64_t{process_}).Bind(1, int64_t{device});
    row.Bind(2, heap.allocations() + handles.allocations());
    row.Bind(3, heap.frees() + handles.frees()).Bind(4, state.failed);
    row.Bind(5, state.peak_bytes).Bind(6, state.peak_time + offset_);
    row.Bind(7, state.live_bytes());
    const auto capacity = Capacity(device);
    if (capacity) {
      row.Bind(8, *capacity);
    } else {
      row.BindNull(8);
    }
    row.Bind(9, heap.unknown_frees() + handles.unknown_frees());
    row.Bind(10, heap.overlaps());
    BindPool(state.framework, &row);
    row.BindNull(16).BindNull(17);
    const auto before = before_.find(device);
    if (before != before_.end()) row.Bind(16, before->second);
    if (const int64_t contexts = ContextsAtPeak(device)) row.Bind(17, contexts);
    RETURN_IF_ERROR(row.Run());
  }
  return Status::Ok();
}

// Most traces do not tell of a pool's blocks one by one.
void ProcessAnalysis::BindPool(const Heap& pool, Statement* row) const {
  for (int i = 11; i < 16; ++i) row->BindNull(i);
  if (pool.peak_bytes() == 0) return;
  row->Bind(11, pool.allocations()).Bind(12, pool.frees());
  row->Bind(13, pool.peak_bytes()).Bind(14, pool.totals().peak_time + offset_);
  row->Bind(15, pool.live_bytes());
}

Status ProcessAnalysis::WriteLeaks() {
  ASSIGN_OR_RETURN(Statement row,
                   store_->db().Prepare("INSERT INTO store_leak VALUES (?, ?, "
                                        "?, ?, ?, ?, ?, ?, ?, ?)"));
  for (const Leak& leak : leaks_) {
    const Site& site = sites_.sites()[leak.site];
    row.Bind(0, int64_t{process_}).Bind(1, int64_t{site.device});
    row.Bind(2, SiteId(leak.site)).Bind(3, leak.bytes_per_step);
    row.Bind(4, leak.first_step).Bind(5, leak.last_step);
    row.Bind(6, leak.growth_bytes).Bind(7, leak.share).BindNull(8);
    row.Bind(9, leak.significance);
    const auto room = FreeAtStart(site.device);
    // What the other sites held at the end is not theirs to grow into.
    const int64_t others = replay_.LiveBytes() - site.live_bytes;
    if (room && leak.bytes_per_step > 0 && *room > others) {
      row.Bind(8, (*room - others) / leak.bytes_per_step);
    }
    RETURN_IF_ERROR(row.Run());
  }
  return Status::Ok();
}

// What grew by a suspect that held much of what was live; by device.
std::map<int, int64_t> ProcessAnalysis::Leaked() const {
  std::map<int, int64_t> leaked;
  for (const Leak& leak : leaks_) {
    const Site& site = sites_.sites()[leak.site];
    const auto state = replay_.devices().find(site.device);
    if (leak.share < 0.5 || state == replay_.devices().end() ||
        site.live_bytes < state->second.live_bytes() / 4) {
      continue;
    }
    leaked[site.device] = std::max(leaked[site.device], leak.growth_bytes);
  }
  return leaked;
}

Status ProcessAnalysis::WriteRefusals() {
  return RefusalFacts({store_, process_,
                       [this](size_t site) { return SiteId(site); }, Leaked()},
                      replay_)
      .Write();
}

Status ProcessAnalysis::WritePeakFacts() {
  return WritePeaks({store_,
                     process_,
                     &sites_,
                     [this](size_t site) { return SiteId(site); },
                     {steps_.Ends(), steps_.UsualLength()}},
                    replay_);
}

Status ProcessAnalysis::WriteHeldFacts() {
  return WriteHeld({store_, process_, &sites_,
                    [this](size_t site) { return SiteId(site); }});
}

Status ProcessAnalysis::WriteFaults() {
  ASSIGN_OR_RETURN(Statement row,
                   store_->db().Prepare("INSERT INTO store_replay_fault VALUES "
                                        "(?, ?, ?, ?, ?, ?, ?)"));
  for (const auto& [key, fault] : replay_.faults().all()) {
    const auto& [device, layer, kind] = key;
    row.Bind(0, int64_t{process_}).Bind(1, int64_t{device});
    row.Bind(2, std::string_view(layer == trace::Layer::kDevice    ? "device"
                                 : layer == trace::Layer::kHandles ? "handle"
                                                                   : "pool"));
    row.Bind(3, Word(kind)).Bind(4, fault.count).Bind(5, fault.first_event);
    RETURN_IF_ERROR(row.Bind(6, fault.first_time + offset_).Run());
  }
  return Status::Ok();
}

}  // namespace inquest::memory
