// SPDX-License-Identifier: Apache-2.0
// What a device's samples say of a moment: read from one trace once and then
// searched, because a run may have refused ten thousand requests and have as
// many samples. Used by refusal_facts.cc. Bytes, and nanoseconds of the trace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/database.h"

namespace inquest::memory {

// The samples nearest to a moment; the earlier of two that are equally near.
struct DeviceThen {
  std::optional<int64_t> free, total;
  std::optional<int64_t> others;  // held by other processes
  std::optional<int64_t> free_at_start;
};

class DeviceSamples {
 public:
  // `prefix` precedes the trace's table names; `own_pid` is the process's own.
  DeviceSamples(Database* db, std::string prefix, int64_t own_pid)
      : db_(db), prefix_(std::move(prefix)), own_pid_(own_pid) {}

  DeviceThen Near(int device, int64_t time);

 private:
  struct Sample {
    int64_t time = 0;
    std::optional<int64_t> value;
  };
  using Samples = std::vector<Sample>;  // by time
  struct Device {
    Samples free, others;
    std::optional<int64_t> total, free_at_start;
  };

  const Device& Read(int device);
  Samples Select(const std::string& sql, int device);
  static std::optional<int64_t> Nearest(const Samples& samples, int64_t time);

  Database* db_;
  std::string prefix_;
  int64_t own_pid_;
  std::map<int, Device> devices_;
};

}  // namespace inquest::memory
