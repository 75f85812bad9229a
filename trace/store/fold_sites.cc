// SPDX-License-Identifier: Apache-2.0
#include "trace/store/fold_sites.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "trace/store/fold.h"

namespace inquest::trace {
namespace {

constexpr int kOutOfMemory = 2;  // CUDA_ERROR_OUT_OF_MEMORY

}  // namespace

Status FoldWatcher::Begin() {
  ASSIGN_OR_RETURN(read_, db_->Prepare("SELECT * FROM checkpoint_site "
                                       "WHERE stack=? AND device=?"));
  ASSIGN_OR_RETURN(write_, db_->Prepare("INSERT OR REPLACE INTO checkpoint_site"
                                        " VALUES(?,?,?,?,?,?,?,?,?)"));
  ASSIGN_OR_RETURN(refusal_,
                   db_->Prepare("INSERT OR REPLACE INTO checkpoint_refusal "
                                "VALUES(?,?,?,?,?,?,?,?,?,0)"));
  ASSIGN_OR_RETURN(
      survive_,
      db_->Prepare("UPDATE checkpoint_refusal SET survived=1 "
                   "WHERE device=? AND bytes BETWEEN ? AND ? AND survived=0 "
                   "AND (SELECT stack FROM memory_event "
                   "WHERE id=event)=?"));
  ASSIGN_OR_RETURN(refusals_,
                   db_->QueryInt("SELECT count(*) FROM checkpoint_refusal"));
  return ReadOpen();
}

Status FoldWatcher::ReadOpen() {
  min_open_.clear();
  ASSIGN_OR_RETURN(
      Statement row,
      db_->Prepare("SELECT m.stack, r.device, min(r.bytes) FROM "
                   "checkpoint_refusal AS r JOIN memory_event AS m "
                   "ON m.id=r.event WHERE r.survived=0 GROUP BY 1, 2"));
  Key key;
  int64_t bytes = 0;
  while (row.Next(&key.first, &key.second, &bytes)) min_open_[key] = bytes;
  return row.status();
}

void FoldWatcher::Note(const Status& status) {
  if (failure_.ok() && !status.ok()) failure_ = status;
}

FoldWatcher::Site FoldWatcher::Read(int64_t stack, int device) {
  read_.BindAll(stack, device);
  Site site;
  read_.Next(&site.id, &stack, &device, &site.allocations, &site.frees,
             &site.failures, &site.allocated_bytes, &site.live_bytes,
             &site.peak_bytes);
  Note(read_.status());
  read_.Reset();
  return site;
}

FoldWatcher::Site& FoldWatcher::Find(int64_t stack, int device) {
  const auto [at, is_new] = sites_.try_emplace(Key(stack, device));
  if (is_new) {
    at->second = Read(stack, device);
    at->second.order = next_order_++;
  }
  return at->second;
}

void FoldWatcher::OnSiteAlloc(int device, int64_t stack, int64_t bytes) {
  Site& site = Find(stack, device);
  ++site.allocations;
  site.allocated_bytes += bytes;
  site.live_bytes += bytes;
  site.peak_bytes = std::max(site.peak_bytes, site.live_bytes);
}

void FoldWatcher::OnSiteFree(int device, int64_t stack, int64_t bytes) {
  Site& site = Find(stack, device);
  ++site.frees;
  site.live_bytes -= bytes;
}

void FoldWatcher::OnSiteRestore(int device, int64_t stack, int64_t bytes) {
  Site& site = Find(stack, device);
  --site.frees;
  site.live_bytes += bytes;
}

void FoldWatcher::OnAlloc(const MemoryEvent& event, const DeviceState&) {
  if (min_open_.empty()) return;
  const auto open = min_open_.find(Key(event.stack, event.device));
  const auto [least, most] = SurvivedBy(event);
  if (open == min_open_.end() || most < open->second) return;
  Note(survive_.Run(event.device, least, most, event.stack));
  Note(ReadOpen());
}

void FoldWatcher::OnRefusal(const MemoryEvent& event,
                            const DeviceState& state) {
  Find(event.stack, event.device).failures += event.refusals();
  if (event.result != kOutOfMemory || refusals_ >= kMaxFailedEvents) return;
  ++refusals_;
  const Gaps gaps = state.device.FindGaps();
  Note(refusal_.Run(event.id, event.device, event.bytes, state.live_bytes(),
                    state.framework.live_bytes(), gaps.total, gaps.largest,
                    gaps.whole_chunks, gaps.count));
  const auto [open, is_new] =
      min_open_.try_emplace(Key(event.stack, event.device), event.bytes);
  if (!is_new) open->second = std::min(open->second, event.bytes);
}

Status FoldWatcher::WriteSite(const Key& key, const Site& site) {
  const auto id = site.id == 0 ? std::nullopt : std::optional(site.id);
  return write_.Run(id, key.first, key.second, site.allocations, site.frees,
                    site.failures, site.allocated_bytes, site.live_bytes,
                    site.peak_bytes);
}

// New sites are numbered in the order in which they were first seen.
Status FoldWatcher::Finish() {
  RETURN_IF_ERROR(failure_);
  std::vector<std::pair<Key, Site>> changed(sites_.begin(), sites_.end());
  std::sort(changed.begin(), changed.end(), [](const auto& a, const auto& b) {
    return a.second.order < b.second.order;
  });
  for (const auto& [key, site] : changed) {
    RETURN_IF_ERROR(WriteSite(key, site));
  }
  return Status::Ok();
}

}  // namespace inquest::trace
