// SPDX-License-Identifier: Apache-2.0
#include "trace/store/cudnn_intervals.h"

#include <algorithm>

namespace inquest::trace {
namespace {

bool Belongs(const CudnnInterval& interval, const CudnnRunRecord& record,
             uint64_t choice) {
  return interval.choice == static_cast<int64_t>(choice) &&
         interval.algorithm == record.algorithm &&
         interval.workspace_bytes ==
             static_cast<int64_t>(record.workspace_bytes);
}

void Count(CudnnInterval* interval, const CudnnCallRecord& call) {
  const bool first = interval->calls == 0;
  // Threads may record their calls slightly out of order.
  interval->first_ns =
      first ? call.time_ns : std::min(interval->first_ns, call.time_ns);
  interval->last_ns = std::max(interval->last_ns, call.time_ns);
  interval->min_ns =
      first ? call.duration_ns : std::min(interval->min_ns, call.duration_ns);
  interval->max_ns = std::max(interval->max_ns, call.duration_ns);
  interval->total_ns += call.duration_ns;
  ++interval->calls;
  if (call.result != 0) ++interval->failed;
}

}  // namespace

void CudnnIntervals::Add(const CudnnRunRecord& record, uint64_t choice) {
  Key key(record.call.function, static_cast<int64_t>(record.operation));
  auto at = last_.find(key);
  if (at == last_.end() || !Belongs(at->second.interval, record, choice)) {
    if (last_id_ >= kMaxIntervals) {
      ++misplaced_;
      if (at == last_.end()) return;
    } else {
      if (at == last_.end()) at = last_.emplace(std::move(key), Open()).first;
      Begin(&at->second, record, choice);
    }
  }
  Count(&at->second.interval, record.call);
  at->second.changed = true;
}

void CudnnIntervals::Begin(Open* open, const CudnnRunRecord& record,
                           uint64_t choice) {
  if (open->changed) closed_.push_back(std::move(open->interval));
  open->interval = CudnnInterval();
  open->interval.id = ++last_id_;
  open->interval.function = record.call.function;
  open->interval.operation = static_cast<int64_t>(record.operation);
  open->interval.algorithm = record.algorithm;
  open->interval.workspace_bytes = static_cast<int64_t>(record.workspace_bytes);
  open->interval.choice = static_cast<int64_t>(choice);
}

std::vector<CudnnInterval> CudnnIntervals::TakeChanged() {
  std::vector<CudnnInterval> changed = std::move(closed_);
  closed_.clear();
  for (auto& [key, open] : last_) {
    if (open.changed) changed.push_back(open.interval);
    open.changed = false;
  }
  std::sort(changed.begin(), changed.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  return changed;
}

int64_t CudnnIntervals::TakeMisplaced() {
  return std::exchange(misplaced_, 0);
}

void CudnnIntervals::Reset(int64_t last_id) {
  last_.clear();
  closed_.clear();
  last_id_ = last_id;
  misplaced_ = 0;
}

void CudnnIntervals::Resume(CudnnInterval interval) {
  Key key(interval.function, interval.operation);
  last_[std::move(key)] = Open{std::move(interval), false};
}

}  // namespace inquest::trace
