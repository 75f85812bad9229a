#include "trace/store/fold_sites.h"

#include <algorithm>
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
  ASSIGN_OR_RETURN(survive_,
                   db_->Prepare("UPDATE checkpoint_refusal SET survived=1 "
                                "WHERE device=? AND bytes<=? AND survived=0"));
  ASSIGN_OR_RETURN(refusals_,
                   db_->QueryInt("SELECT count(*) FROM checkpoint_refusal"));
  return ReadOpen();
}

Status FoldWatcher::ReadOpen() {
  least_open_.clear();
  ASSIGN_OR_RETURN(Statement row,
                   db_->Prepare("SELECT device, min(bytes) FROM "
                                "checkpoint_refusal WHERE survived=0 "
                                "GROUP BY device"));
  while (row.Step()) least_open_[static_cast<int>(row.Int(0))] = row.Int(1);
  return row.status();
}

void FoldWatcher::Note(const Status& status) {
  if (failure_.ok() && !status.ok()) failure_ = status;
}

FoldWatcher::Site FoldWatcher::Read(int64_t stack, int device) {
  read_.Bind(0, stack).Bind(1, int64_t{device});
  Site site;
  if (read_.Step()) {
    site = {read_.Int(0), 0,
            read_.Int(3), read_.Int(4),
            read_.Int(5), read_.Int(6),
            read_.Int(7), read_.Int(8)};
  }
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

void FoldWatcher::Held(int device, int64_t stack, int64_t bytes) {
  Site& site = Find(stack, device);
  ++site.allocations;
  site.allocated_bytes += bytes;
  site.live_bytes += bytes;
  site.peak_bytes = std::max(site.peak_bytes, site.live_bytes);
}

void FoldWatcher::GaveBack(int device, int64_t stack, int64_t bytes) {
  Site& site = Find(stack, device);
  ++site.frees;
  site.live_bytes -= bytes;
}

void FoldWatcher::HeldAgain(int device, int64_t stack, int64_t bytes) {
  Site& site = Find(stack, device);
  --site.frees;
  site.live_bytes += bytes;
}

void FoldWatcher::Got(const MemoryEvent& event, const DeviceState&) {
  const auto open = least_open_.find(event.device);
  if (open == least_open_.end() || event.bytes < open->second) return;
  Note(survive_.Bind(0, int64_t{event.device}).Bind(1, event.bytes).Run());
  Note(ReadOpen());
}

void FoldWatcher::Refused(const MemoryEvent& event, const DeviceState& state) {
  ++Find(event.stack, event.device).failures;
  if (event.result != kOutOfMemory || refusals_ >= kMostFailedEvents) return;
  ++refusals_;
  const Gaps gaps = state.device.FindGaps();
  refusal_.Bind(0, event.id).Bind(1, int64_t{event.device});
  refusal_.Bind(2, event.bytes).Bind(3, state.live_bytes());
  refusal_.Bind(4, state.framework.live_bytes()).Bind(5, gaps.total);
  refusal_.Bind(6, gaps.largest).Bind(7, gaps.whole_chunks);
  Note(refusal_.Bind(8, gaps.count).Run());
  const auto [open, is_new] =
      least_open_.try_emplace(event.device, event.bytes);
  if (!is_new) open->second = std::min(open->second, event.bytes);
}

Status FoldWatcher::WriteSite(const Key& key, const Site& site) {
  if (site.id == 0) {
    write_.BindNull(0);
  } else {
    write_.Bind(0, site.id);
  }
  write_.Bind(1, key.first).Bind(2, int64_t{key.second});
  write_.Bind(3, site.allocations).Bind(4, site.frees);
  write_.Bind(5, site.failures).Bind(6, site.allocated_bytes);
  return write_.Bind(7, site.live_bytes).Bind(8, site.peak_bytes).Run();
}

// New ones get their numbers in the order in which they were first seen.
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
