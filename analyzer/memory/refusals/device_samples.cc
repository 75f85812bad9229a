// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/refusals/device_samples.h"

#include <algorithm>

namespace inquest::memory {
namespace {

// An untrusted trace may hold any number.
constexpr int64_t kMaxBytes = int64_t{1} << 60;

}  // namespace

DeviceSamples::Samples DeviceSamples::Select(const std::string& sql,
                                             int device) {
  Samples samples;
  auto rows = db_->Prepare(sql);
  if (!rows.ok()) return samples;
  rows->BindAll(device);
  for (Sample sample; rows->Next(&sample.time, &sample.value);) {
    if (sample.value) {
      sample.value = std::clamp(*sample.value, int64_t{0}, kMaxBytes);
    }
    samples.push_back(sample);
  }
  return samples;
}

const DeviceSamples::Device& DeviceSamples::Read(int device) {
  const auto known = devices_.find(device);
  if (known != devices_.end()) return known->second;
  Device& made = devices_[device];
  const std::string memory =
      prefix_ + "device_memory WHERE device = ?1 AND reason ";
  made.free = Select("SELECT time_ns, free_bytes FROM " + memory +
                         "!= 'start' ORDER BY time_ns",
                     device);
  made.others = Select("SELECT time_ns, sum(used_bytes) FILTER (WHERE pid != " +
                           std::to_string(own_pid_) + ") FROM " + prefix_ +
                           "device_process WHERE device = ?1 GROUP BY time_ns "
                           "ORDER BY time_ns",
                       device);
  const Samples start = Select("SELECT time_ns, free_bytes FROM " + memory +
                                   "= 'start' ORDER BY time_ns LIMIT 1",
                               device);
  if (!start.empty()) made.free_at_start = start[0].value;
  const Samples total = Select("SELECT 0, total_bytes FROM " + prefix_ +
                                   "device WHERE ordinal = ?1 LIMIT 1",
                               device);
  if (!total.empty()) made.total = total[0].value;
  return made;
}

std::optional<int64_t> DeviceSamples::Nearest(const Samples& samples,
                                              int64_t time) {
  const auto after = std::lower_bound(
      samples.begin(), samples.end(), time,
      [](const Sample& sample, int64_t at) { return sample.time < at; });
  if (after == samples.begin()) {
    return samples.empty() ? std::nullopt : after->value;
  }
  const auto before = after - 1;
  const bool earlier =
      after == samples.end() || time - before->time <= after->time - time;
  return (earlier ? before : after)->value;
}

DeviceThen DeviceSamples::Near(int device, int64_t time) {
  const Device& samples = Read(device);
  return {Nearest(samples.free, time), samples.total,
          Nearest(samples.others, time), samples.free_at_start};
}

}  // namespace inquest::memory
