// SPDX-License-Identifier: Apache-2.0
// Memory over time: what each process held on each device, event by event but
// joined to a bounded number of points with their extremes, and what the driver
// and a framework's allocator said of it at times.
#include <algorithm>
#include <iterator>
#include <vector>

#include "analyzer/memory/timeline/timeline.h"
#include "analyzer/report/page/page_data.h"
#include "base/capped.h"

namespace inquest::report {
namespace {

using nlohmann::json;

constexpr size_t kDevicesDrawn = 16;
constexpr size_t kAllPoints = 16000;  // of all series
constexpr size_t kLeastPoints = 256;  // of one
constexpr size_t kAllCategoryPoints = 1024;
constexpr size_t kLeastCategoryPoints = 64;
constexpr size_t kSamplesDrawn = 600;
constexpr size_t kStepsDrawn = 4000;
constexpr size_t kMarksDrawn = 300;

struct DeviceKey {
  int64_t process = 0;
  int64_t device = 0;
};

// Differences from point to point: small numbers are short in JSON.
json MomentsData(const std::vector<memory::Moment>& moments, int64_t base) {
  json all = json::array();
  int64_t time = base;
  int64_t value = 0;
  for (const memory::Moment& one : moments) {
    all.push_back({SubtractCapped(one.begin, time), one.end - one.begin,
                   one.low - value, one.high - value, one.last - value});
    time = one.end;
    value = one.last;
  }
  return all;
}

std::string OfDevice(const DeviceKey& key) {
  return " WHERE process = " + std::to_string(key.process) +
         " AND device = " + std::to_string(key.device);
}

// The most interesting of many samples stay: those of failures, and each n-th.
std::string Thinned(const std::string& select) {
  return "SELECT * FROM (SELECT *, row_number() OVER (ORDER BY at) AS i, "
         "count(*) OVER () AS n FROM (" +
         select + ")) WHERE n <= " + std::to_string(kSamplesDrawn) +
         " OR i % (n / " + std::to_string(kSamplesDrawn) +
         " + 1) = 0 OR i = n OR reason IN ('failure', 'end') LIMIT " +
         std::to_string(2 * kSamplesDrawn);
}

// What the driver said, at times: used by all, by this process's recorded
// blocks, by others.
Expected<json> SampleData(const PageSource& source, const DeviceKey& key) {
  return Rows(source,
              Thinned("SELECT time - :base AS at, used_bytes, other_bytes, "
                      "remainder_bytes, reason FROM device_ledger" +
                      OfDevice(key)),
              2 * kSamplesDrawn);
}

// Of pools whose blocks are not events: totals for each second.
Expected<json> PoolSampleData(const PageSource& source, const DeviceKey& key) {
  return Rows(source,
              Thinned("SELECT first_time - :base AS at, last_time - :base AS "
                      "end_at, allocated_bytes, reserved_bytes, "
                      "peak_allocated_bytes, peak_reserved_bytes, '' AS reason "
                      "FROM framework_memory" +
                      OfDevice(key)),
              2 * kSamplesDrawn);
}

Expected<json> RefusalData(const PageSource& source, const DeviceKey& key) {
  return Rows(source,
              "SELECT oom, time - :base AS at, requested_bytes, free_bytes, "
              "largest_free_bytes, survived FROM oom" +
                  OfDevice(key) +
                  " AND source = 'trace' AND time IS NOT NULL ORDER BY "
                  "survived, time DESC",
              kMarksDrawn);
}

Expected<json> StepData(const PageSource& source, int64_t process) {
  const std::string of =
      " FROM step WHERE process = " + std::to_string(process);
  ASSIGN_OR_RETURN(const int64_t count,
                   source.store->db().QueryInt("SELECT count(*)" + of));
  const auto every = count / static_cast<int64_t>(kStepsDrawn) + 1;
  ASSIGN_OR_RETURN(
      json steps,
      Rows(source,
           "SELECT step, begin_time - :base AS begin_at, end_time - :base AS "
           "end_at, live_bytes" +
               of + " AND step % " + std::to_string(every) +
               " = 0 ORDER BY step",
           kStepsDrawn));
  steps["count"] = count;
  return steps;
}

// Failed calls and events of the device beside the refusals.
Expected<json> MarkData(const PageSource& source, int64_t process) {
  const std::string of = " WHERE process = " + std::to_string(process);
  return Rows(
      source,
      "SELECT time - :base AS at, function || ': ' || name AS text FROM "
      "api_error" +
          of +
          " UNION ALL SELECT time - :base, kind || ' ' || value || ' ' "
          "|| text FROM device_event" +
          of + " ORDER BY 1 DESC",
      kMarksDrawn);
}

Expected<json> DeviceData(const PageSource& source, const DeviceKey& key,
                          const memory::Timeline& timeline) {
  json data = {{"process", key.process}, {"device", key.device}};
  const auto line = timeline.devices.find(static_cast<int>(key.device));
  if (line != timeline.devices.end()) {
    data["held"] = MomentsData(line->second.held.moments(), source.base);
    data["pool"] = MomentsData(line->second.pool.moments(), source.base);
  }
  ASSIGN_OR_RETURN(data["samples"], SampleData(source, key));
  ASSIGN_OR_RETURN(data["pool_samples"], PoolSampleData(source, key));
  ASSIGN_OR_RETURN(data["refusals"], RefusalData(source, key));
  return data;
}

// Only the replay of the diagnosis notes them; a pass of its own for the
// picture does not.
json CategoriesOf(const memory::Timeline& timeline, const DeviceKey& key,
                  size_t devices, int64_t base) {
  const auto line = timeline.categories.find(static_cast<int>(key.device));
  if (line == timeline.categories.end()) {
    return {{"unknown", "that was not noted while its trace was replayed"}};
  }
  return CategoryData(
      line->second,
      std::max(kAllCategoryPoints / devices, kLeastCategoryPoints), base);
}

// What the text report shows of each device: its size and its peak.
void AddSummary(const Summary& summary, const DeviceKey& key, int64_t base,
                json* data) {
  for (const DeviceSummary& one : summary.devices) {
    if (one.process != key.process || one.device != key.device) continue;
    (*data)["peak_bytes"] = one.peak_bytes;
    (*data)["peak_at"] = SubtractCapped(one.peak_time, base);
    if (one.capacity_bytes) (*data)["capacity_bytes"] = *one.capacity_bytes;
  }
}

Expected<std::vector<DeviceKey>> DeviceKeys(const PageSource& source) {
  ASSIGN_OR_RETURN(
      Statement row,
      source.store->db().Prepare(
          "SELECT process, device FROM device_usage WHERE device >= 0 UNION "
          "SELECT process, device FROM framework_memory UNION SELECT process, "
          "device FROM device_ledger ORDER BY 1, 2"));
  std::vector<DeviceKey> keys;
  for (DeviceKey key; row.Next(&key.process, &key.device);) {
    keys.push_back(key);
  }
  RETURN_IF_ERROR(row.status());
  return keys;
}

// As the replay noted it, or in a pass of its own.
Expected<memory::Timeline> TimelineOf(const PageSource& source, int process,
                                      size_t most) {
  if (source.input->timelines != nullptr) {
    const auto noted = source.input->timelines->find(process);
    if (noted != source.input->timelines->end()) {
      memory::Timeline timeline = noted->second;
      timeline.Reduce(most);
      return timeline;
    }
  }
  return memory::ReadTimeline(source.store, process, most);
}

}  // namespace

Expected<json> TimelineData(const PageSource& source) {
  ASSIGN_OR_RETURN(std::vector<DeviceKey> keys, DeviceKeys(source));
  if (keys.empty()) return json::object();
  const size_t all = keys.size();
  keys.resize(std::min(kDevicesDrawn, all));
  const size_t most =
      std::clamp(kAllPoints / (2 * keys.size()), kLeastPoints, kTimelinePoints);
  json devices = json::array();
  json processes = json::array();
  memory::Timeline timeline;
  for (size_t i = 0; i < keys.size(); ++i) {
    const int64_t process = keys[i].process;
    if (i == 0 || process != keys[i - 1].process) {
      ASSIGN_OR_RETURN(timeline,
                       TimelineOf(source, static_cast<int>(process), most));
      json one = {{"process", process}, {"folded", timeline.folded}};
      ASSIGN_OR_RETURN(one["steps"], StepData(source, process));
      ASSIGN_OR_RETURN(one["marks"], MarkData(source, process));
      processes.push_back(std::move(one));
    }
    ASSIGN_OR_RETURN(json data, DeviceData(source, keys[i], timeline));
    if (timeline.devices.contains(static_cast<int>(keys[i].device))) {
      data["categories"] =
          CategoriesOf(timeline, keys[i], keys.size(), source.base);
    }
    AddSummary(source.input->summary, keys[i], source.base, &data);
    devices.push_back(std::move(data));
  }
  return json{{"devices", devices},
              {"processes", processes},
              {"more", all - keys.size()}};
}

}  // namespace inquest::report
