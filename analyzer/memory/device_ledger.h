// SPDX-License-Identifier: Apache-2.0
// Divides a device's used memory at each sample of the driver: held by the
// recorded process, held by others, and the remainder: the context, its modules
// and libraries, and memory of processes that NVML does not name. Follows the
// replay and fills device_ledger. One pass over the samples, which it keeps in
// memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"

namespace inquest::memory {

class DeviceLedger {
 public:
  using LiveBytes = std::function<int64_t(int device)>;
  explicit DeviceLedger(LiveBytes live) : live_(std::move(live)) {}

  // Samples up to `after` are before the checkpoint and are left out.
  Status Read(Database* db, const std::string& prefix, int64_t after);
  // Call before the event of this time is replayed.
  void Before(int64_t time) {
    while (next_ < samples_.size() && samples_[next_].time <= time)
      TakeSample();
  }
  void Finish() { Before(INT64_MAX); }
  Status Write(facts::Store* store, int process) const;
  // What this process may hold on the device: what it held and what was free,
  // at the last sample before its end.
  std::optional<int64_t> Room(int device) const;

 private:
  struct Sample {
    int64_t time = 0;
    int device = 0;
    int64_t used = 0;
    int64_t free = 0;
    std::string reason;
    int64_t live = 0;
  };
  using Others = std::map<std::pair<int, int64_t>, int64_t>;  // device, time

  void TakeSample() {
    samples_[next_].live = live_(samples_[next_].device);
    ++next_;
  }
  Status ReadOthers(Database* db, const std::string& prefix);
  std::optional<int64_t> OthersAt(const Sample& sample) const;

  LiveBytes live_;
  std::vector<Sample> samples_;
  size_t next_ = 0;
  Others others_;
};

}  // namespace inquest::memory
