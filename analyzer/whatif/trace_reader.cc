#include "analyzer/whatif/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "analyzer/whatif/simulate.h"

namespace inquest::whatif {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr std::string_view kOfSnapshot = "torch.allocator.";

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
    builder->history().settings = settings_;
  }
  return builder.get();
}

Status TraceReader::Prepare() {
  RETURN_IF_ERROR(ReadDeviceMemory());
  RETURN_IF_ERROR(ReadSettings());
  RETURN_IF_ERROR(ReadFrameworks());
  ASSIGN_OR_RETURN(Statement row, db().Prepare("SELECT min(begin_ns) FROM " +
                                               prefix_ + "step"));
  if (row.Step() && !row.IsNull(0)) first_step_ = row.Int(0);
  return row.status();
}

Status TraceReader::ReadDeviceMemory() {
  ASSIGN_OR_RETURN(Statement row,
                   db().Prepare("SELECT device, time_ns, free_bytes, reason "
                                "FROM " +
                                prefix_ + "device_memory ORDER BY time_ns"));
  while (row.Step()) {
    samples_[static_cast<int>(row.Int(0))][row.Int(1)] = {
        row.Int(2), std::string(row.Text(3))};
  }
  return row.status();
}

// A snapshot tells the values in force, whoever set them.
void TraceReader::TakeSetting(const std::string& name,
                              const std::string& value) {
  const std::string roundup = "roundup_power2_divisions.";
  const int64_t number = std::strtoll(value.c_str(), nullptr, 10);
  if (name == "expandable_segments") {
    settings_.expandable_segments = value == "True";
  } else if (name == "max_split_size") {
    settings_.max_split_size = number > 0 ? number : INT64_MAX;
  } else if (name == "garbage_collection_threshold") {
    settings_.garbage_collection_threshold =
        std::strtod(value.c_str(), nullptr);
  } else if (name.starts_with(roundup) && number >= 0) {
    const auto megabytes = static_cast<uint64_t>(
        std::strtoull(name.c_str() + roundup.size(), nullptr, 10));
    const auto index = static_cast<size_t>(std::bit_width(megabytes | 1)) - 1;
    if (index < kRoundupIntervals) settings_.roundup_divisions[index] = number;
  }
}

Status TraceReader::ReadSettings() {
  ASSIGN_OR_RETURN(Statement row, db().Prepare("SELECT name, value FROM " +
                                               prefix_ + "environment"));
  std::vector<std::pair<std::string, std::string>> of_snapshot;
  std::string newer;
  while (row.Step()) {
    const std::string name(row.Text(0));
    const std::string value(row.Text(1));
    if (name == "PYTORCH_CUDA_ALLOC_CONF") settings_text_ = value;
    if (name == "PYTORCH_ALLOC_CONF") newer = value;
    if (name.starts_with(kOfSnapshot)) {
      of_snapshot.emplace_back(name.substr(kOfSnapshot.size()), value);
    }
  }
  RETURN_IF_ERROR(row.status());
  if (!newer.empty()) settings_text_ = newer;
  const Status read = ParseTorchSettings(settings_text_, &settings_);
  if (!read.ok()) settings_fault_ = read.message();
  for (const auto& [name, value] : of_snapshot) TakeSetting(name, value);
  return Status::Ok();
}

Status TraceReader::ReadFrameworks() {
  ASSIGN_OR_RETURN(
      Statement source,
      db().Prepare("SELECT DISTINCT source FROM " + prefix_ + "coverage"));
  while (source.Step()) {
    const std::string_view name = source.Text(0);
    torch_ |= name == "torch-snapshot" || name == "kineto" ||
              name == "memory-timeline";
    moment_ |= name == "bfc-dump" || name == "pprof";
  }
  tensorflow_ = moment_;
  RETURN_IF_ERROR(source.status());
  if (!HasTable("package")) return Status::Ok();
  ASSIGN_OR_RETURN(Statement row,
                   db().Prepare("SELECT name FROM " + prefix_ + "package"));
  while (row.Step()) {
    const std::string_view name = row.Text(0);
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
    found = at->second.free;
  }
  return found;
}

// Of other processes, as NVML told it last.
Expected<int64_t> TraceReader::Others(int device) {
  ASSIGN_OR_RETURN(
      Statement row,
      db().Prepare("SELECT coalesce(sum(used_bytes), 0) FROM " + prefix_ +
                   "device_process WHERE device = ?1 AND pid != (SELECT pid "
                   "FROM " +
                   prefix_ +
                   "process) AND time_ns = (SELECT max(time_ns) FROM " +
                   prefix_ + "device_process WHERE device = ?1)"));
  row.Bind(0, int64_t{device});
  const int64_t others = row.Step() ? row.Int(0) : 0;
  RETURN_IF_ERROR(row.status());
  return others;
}

Status TraceReader::FinishRoom(History* history) {
  Room& room = history->room;
  ASSIGN_OR_RETURN(Statement row,
                   db().Prepare("SELECT total_bytes FROM " + prefix_ +
                                "device WHERE ordinal = ?"));
  row.Bind(0, int64_t{history->device});
  if (row.Step() && row.Int(0) > 0) room.total = row.Int(0);
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
  const auto& last = samples->second.rbegin()->second;
  if (last.reason == "start") {
    room.bytes = last.free;
    room.source = "what was free when the process began";
    return Status::Ok();
  }
  room.source = "what it held and what was free when last looked at";
  if (driver) {
    MeasureRoom(history, last.free, history->requests.size());
  } else if (history->recorded.reserved_at_end) {
    room.bytes = *history->recorded.reserved_at_end + last.free;
  }
  return Status::Ok();
}

// The pool's own word on its segments, else what the events come to.
Status TraceReader::FinishEnd(History* history) {
  if (!HasTable("pool_segment")) return Status::Ok();
  ASSIGN_OR_RETURN(Statement row,
                   db().Prepare("SELECT count(*), sum(bytes) FROM " + prefix_ +
                                "pool_segment WHERE device = ?"));
  row.Bind(0, int64_t{history->device});
  if (row.Step() && row.Int(0) > 0) {
    history->recorded.segments_at_end = row.Int(0);
    history->recorded.reserved_at_end = row.Int(1);
  }
  return row.status();
}

// What the allocator said it held, where its segments are not told.
Status TraceReader::FinishSums(History* history) {
  Recorded& recorded = history->recorded;
  if (recorded.peak_reserved || !HasTable("framework_memory")) {
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(
      Statement row,
      db().Prepare("SELECT peak_reserved_bytes, reserved_bytes FROM " +
                   prefix_ + "framework_memory WHERE device = ? ORDER BY id"));
  row.Bind(0, int64_t{history->device});
  while (row.Step()) {
    if (row.IsNull(0) || row.IsNull(1)) continue;
    recorded.peak_reserved =
        std::max(recorded.peak_reserved.value_or(0), row.Int(0));
    recorded.reserved_at_end = row.Int(1);
  }
  return row.status();
}

void TraceReader::FinishLeaks(const memory::SiteTable& sites,
                              History* history) {
  for (const memory::Leak& leak : memory::FindLeaks(sites.sites())) {
    const memory::Site& site = sites.sites()[leak.site];
    const std::vector<memory::Point>& by_step = site.by_step.points();
    if (by_step.empty()) continue;
    LeakingSite one;
    one.site = leak.site;
    one.bytes_per_step = leak.bytes_per_step;
    one.name = sites.TellingFrame(leak.site).function;
    one.level = static_cast<int64_t>(by_step.front().y);
    for (const memory::Point& point : by_step) {
      if (static_cast<int64_t>(point.x) > leak.first_step) break;
      one.level = static_cast<int64_t>(point.y);
    }
    history->leaks.push_back(std::move(one));
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
    history.settings_text = settings_text_;
    history.note = settings_fault_;
    if (Full()) {
      history.note += fmt::format(
          "{}only the first {} requests of the record were looked at",
          history.note.empty() ? "" : "; ", limits_.most_requests);
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
