// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/history/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/whatif/trials/simulate.h"

namespace inquest::whatif {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

}  // namespace

TraceReader::TraceReader(facts::Store* store, int process,
                         const ReadLimits& limits)
    : store_(store),
      process_(process),
      limits_(limits),
      prefix_(store->TracePrefix(process)),
      frames_(store, process) {}

HistoryBuilder* TraceReader::Builder(int device) {
  if (device < 0) return nullptr;
  auto& builder = builders_[device];
  if (!builder) {
    builder = std::make_unique<HistoryBuilder>(
        [this](int64_t stack) { return frames_.Of(stack); }, process_, device);
    builder->history().settings = settings_.settings;
    // Reserved, because a growing vector holds everything twice while it moves.
    if (builders_.size() == 1) builder->history().requests.reserve(expected_);
  }
  return builder.get();
}

Status TraceReader::Prepare() {
  RETURN_IF_ERROR(ReadDeviceMemory());
  ASSIGN_OR_RETURN(settings_, memory::ReadTorchSettings(&db(), prefix_));
  RETURN_IF_ERROR(ReadFrameworks());
  ASSIGN_OR_RETURN(const int64_t events,
                   db().QueryInt("SELECT (SELECT max(id) FROM " + prefix_ +
                                 "memory_event) - (SELECT min(id) FROM " +
                                 prefix_ + "memory_event) + 1"));
  expected_ = std::min(static_cast<size_t>(std::max<int64_t>(0, events)),
                       limits_.max_requests);
  // The beginning of what only ends a step says nothing.
  ASSIGN_OR_RETURN(Statement row,
                   db().Prepare("SELECT min(begin_ns) FROM " + prefix_ +
                                "step WHERE name NOT LIKE 'Optimizer.step#%'"));
  row.Next(&first_step_);
  return row.status();
}

Status TraceReader::ReadDeviceMemory() {
  ASSIGN_OR_RETURN(Statement row,
                   db().Prepare("SELECT device, time_ns, free_bytes, reason "
                                "FROM " +
                                prefix_ + "device_memory ORDER BY time_ns"));
  int device = 0;
  int64_t time = 0;
  for (Sample one; row.Next(&device, &time, &one.free, &one.reason);) {
    samples_[device][time] = one;
  }
  return row.status();
}

Status TraceReader::ReadFrameworks() {
  ASSIGN_OR_RETURN(
      Statement source,
      db().Prepare("SELECT DISTINCT source FROM " + prefix_ + "coverage"));
  for (std::string name; source.Next(&name);) {
    torch_ |= name == "torch-snapshot" || name == "kineto" ||
              name == "memory-timeline";
    moment_ |= name == "bfc-dump" || name == "pprof";
  }
  tensorflow_ = moment_;
  RETURN_IF_ERROR(source.status());
  if (!HasTable("package")) return Status::Ok();
  ASSIGN_OR_RETURN(Statement row,
                   db().Prepare("SELECT name FROM " + prefix_ + "package"));
  for (std::string name; row.Next(&name);) {
    torch_ |= name == "torch";
    tensorflow_ |= name.starts_with("tensorflow") || name.starts_with("jax");
  }
  return row.status();
}

std::optional<int64_t> TraceReader::FreeAt(int device, int64_t time) const {
  const auto samples = samples_.find(device);
  if (samples == samples_.end()) return {};
  std::optional<int64_t> found;
  int64_t nearest = kSecond;
  const auto end = samples->second.upper_bound(time + kSecond);
  for (auto at = samples->second.lower_bound(time - kSecond); at != end; ++at) {
    const int64_t away = std::abs(at->first - time);
    if (at->second.reason != "failure" || away > nearest) continue;
    nearest = away;
    found = std::clamp<int64_t>(at->second.free, 0, kBoundless);
  }
  return found;
}

// The bytes of other processes in NVML's last sample.
Expected<int64_t> TraceReader::Others(int device) {
  ASSIGN_OR_RETURN(
      Statement row,
      db().Prepare("SELECT coalesce(sum(used_bytes), 0) FROM " + prefix_ +
                   "device_process WHERE device = ?1 AND pid != (SELECT pid "
                   "FROM " +
                   prefix_ +
                   "process) AND time_ns = (SELECT max(time_ns) FROM " +
                   prefix_ + "device_process WHERE device = ?1)"));
  row.BindAll(device);
  int64_t others = 0;
  row.Next(&others);
  RETURN_IF_ERROR(row.status());
  return std::clamp<int64_t>(others, 0, kBoundless);
}

Status TraceReader::FinishRoom(History* history) {
  Room& room = history->room;
  ASSIGN_OR_RETURN(Statement row,
                   db().Prepare("SELECT total_bytes FROM " + prefix_ +
                                "device WHERE ordinal = ?"));
  row.BindAll(history->device);
  int64_t total = 0;
  row.Next(&total);
  if (total > 0) room.total = std::min(total, kBoundless);
  RETURN_IF_ERROR(row.status());
  ASSIGN_OR_RETURN(room.others, Others(history->device));
  const bool driver = history->level == Level::kDriver;
  if (room.bytes) {
    room.source = "what it held and what was free at the refusal";
    if (driver) MeasureRoom(history, *room.bytes, *history->died);
    return Status::Ok();
  }
  const auto samples = samples_.find(history->device);
  if (samples == samples_.end() || samples->second.empty()) return Status::Ok();
  Sample last = samples->second.rbegin()->second;
  last.free = std::clamp<int64_t>(last.free, 0, kBoundless);
  if (last.reason == "start") {
    room.bytes = last.free;
    room.source = "what was free when the process began";
    return Status::Ok();
  }
  room.source = "what it held and what was free in the last sample";
  if (driver) {
    MeasureRoom(history, last.free, history->requests.size());
  } else if (history->recorded.reserved_at_end) {
    room.bytes = *history->recorded.reserved_at_end + last.free;
  }
  return Status::Ok();
}

// Uses the pool's own list of segments if the trace has one; otherwise the sum
// of the events stays.
Status TraceReader::FinishEnd(History* history) {
  if (!HasTable("pool_segment")) return Status::Ok();
  ASSIGN_OR_RETURN(Statement row,
                   db().Prepare("SELECT count(*), sum(bytes) FROM " + prefix_ +
                                "pool_segment WHERE device = ?"));
  row.BindAll(history->device);
  int64_t segments = 0;
  int64_t bytes = 0;
  if (row.Next(&segments, &bytes) && segments > 0) {
    history->recorded.segments_at_end = segments;
    history->recorded.reserved_at_end = bytes;
  }
  return row.status();
}

// Uses the allocator's own sums if its segments are not known.
Status TraceReader::FinishSums(History* history) {
  Recorded& recorded = history->recorded;
  if (!HasTable("framework_memory") || recorded.reserved_at_end) {
    return Status::Ok();
  }
  const bool seen = recorded.peak_reserved.has_value();
  ASSIGN_OR_RETURN(
      Statement row,
      db().Prepare("SELECT peak_reserved_bytes, reserved_bytes FROM " +
                   prefix_ +
                   "framework_memory WHERE device = ? AND peak_reserved_bytes "
                   "IS NOT NULL AND reserved_bytes IS NOT NULL ORDER BY id"));
  row.BindAll(history->device);
  int64_t peak = 0;
  int64_t reserved = 0;
  while (row.Next(&peak, &reserved)) {
    if (!seen) {
      recorded.peak_reserved =
          std::max(recorded.peak_reserved.value_or(0), peak);
    }
    recorded.reserved_at_end = reserved;
  }
  return row.status();
}

void TraceReader::FinishLeaks(const memory::SiteTable& sites,
                              History* history) {
  for (const memory::Leak& leak : memory::FindLeaks(sites.sites())) {
    history->leaks.push_back({leak.site, leak.first_step, leak.bytes_per_step,
                              sites.DistinguishingFrame(leak.site).function});
  }
}

Expected<std::vector<History>> TraceReader::Finish(Level level) {
  std::vector<History> histories;
  for (auto& [device, builder] : builders_) {
    History history = builder->Finish();
    if (history.requests.empty() && history.before.empty()) continue;
    history.level = level;
    history.torch = torch_;
    history.tensorflow = tensorflow_;
    history.settings_text = settings_.text;
    history.note = settings_.fault;
    if (Full()) {
      history.note +=
          fmt::format("{}only the first {} requests of the record were read",
                      history.note.empty() ? "" : "; ", limits_.max_requests);
    }
    history.moment = moment_;
    RETURN_IF_ERROR(FinishEnd(&history));
    if (level == Level::kPool) RETURN_IF_ERROR(FinishSums(&history));
    RETURN_IF_ERROR(FinishRoom(&history));
    FinishLeaks(builder->sites(), &history);
    histories.push_back(std::move(history));
  }
  return histories;
}

}  // namespace inquest::whatif
