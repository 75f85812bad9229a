// SPDX-License-Identifier: Apache-2.0
// The fact device_usage of one process, written when its replay is over.
#include <optional>
#include <set>

#include "analyzer/memory/process_analysis.h"
#include "base/capped.h"
#include "base/rows.h"

namespace inquest::memory {
namespace {

struct UsageRow {
  template <class V>
  void Columns(V& v) {
    v("process", process);
    v("device", device);
    v("allocations", allocations);
    v("frees", frees);
    v("failed", failed);
    v("peak_bytes", peak_bytes);
    v("peak_time", peak_time);
    v("live_bytes", live_bytes);
    v("capacity_bytes", capacity_bytes);
    v("unknown_frees", unknown_frees);
    v("overlaps", overlaps);
    v("framework_allocations", pool_allocations);
    v("framework_frees", pool_frees);
    v("framework_peak_bytes", pool_peak_bytes);
    v("framework_peak_time", pool_peak_time);
    v("framework_live_bytes", pool_live_bytes);
    v("framework_before_bytes", pool_before_bytes);
    v("contexts", contexts);
  }

  void SetDevice(const trace::DeviceState& state, int64_t offset) {
    allocations = state.device.allocations() + state.handles.allocations();
    frees = state.device.frees() + state.handles.frees();
    failed = state.failed;
    peak_bytes = state.peak_bytes;
    peak_time = AddCapped(state.peak_time, offset);
    live_bytes = state.live_bytes();
    unknown_frees =
        state.device.unknown_frees() + state.handles.unknown_frees();
    overlaps = state.device.overlaps();
  }
  // Most traces do not record a pool's blocks one by one.
  void SetPool(const Heap& pool, int64_t offset) {
    if (pool.peak_bytes() == 0) return;
    pool_allocations = pool.allocations();
    pool_frees = pool.frees();
    pool_peak_bytes = pool.peak_bytes();
    pool_peak_time = AddCapped(pool.totals().peak_time, offset);
    pool_live_bytes = pool.live_bytes();
  }

  int process = 0;
  int device = 0;
  int64_t allocations = 0, frees = 0, failed = 0;
  int64_t peak_bytes = 0, peak_time = 0, live_bytes = 0;
  std::optional<int64_t> capacity_bytes;
  int64_t unknown_frees = 0, overlaps = 0;
  std::optional<int64_t> pool_allocations, pool_frees, pool_peak_bytes;
  std::optional<int64_t> pool_peak_time, pool_live_bytes, pool_before_bytes;
  std::optional<int64_t> contexts;
};

}  // namespace

std::optional<int64_t> ProcessAnalysis::ContextsAtPeak(int device) const {
  std::set<uint64_t> contexts;
  for (const PeakBlock& one : replay_.PeakBlocks(device, false)) {
    if (one.block.context != 0) contexts.insert(one.block.context);
  }
  if (contexts.empty()) return {};
  return static_cast<int64_t>(contexts.size());
}

Status ProcessAnalysis::WriteUsage() {
  ASSIGN_OR_RETURN(auto table,
                   InsertInto<UsageRow>(&store_->db(), "store_device_usage"));
  for (const auto& [device, state] : replay_.devices()) {
    UsageRow row;
    row.process = process_;
    row.device = device;
    row.SetDevice(state, offset_);
    row.SetPool(state.framework, offset_);
    row.capacity_bytes = Capacity(device);
    const auto before = pool_before_.find(device);
    if (before != pool_before_.end()) row.pool_before_bytes = before->second;
    row.contexts = ContextsAtPeak(device);
    RETURN_IF_ERROR(table.Add(row));
  }
  return Status::Ok();
}

}  // namespace inquest::memory
