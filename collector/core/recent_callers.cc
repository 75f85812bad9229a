// SPDX-License-Identifier: Apache-2.0
#include "collector/core/recent_callers.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "trace/records/memory_records.h"

namespace inquest::collector {
namespace {

bool IsThere(uint32_t thread) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%u", thread);
  return access(path, F_OK) == 0;
}

}  // namespace

void RecentCallers::Note(uint32_t kind, std::string_view payload) {
  trace::MemoryRecord record;
  if (kind != static_cast<uint32_t>(trace::RecordKind::kMemory) ||
      payload.size() != sizeof record) {
    return;
  }
  std::memcpy(&record, payload.data(), sizeof record);
  if (callers_[last_].thread != record.thread) {
    auto at = std::ranges::find(callers_, record.thread, &Caller::thread);
    if (at == callers_.end()) {
      at = std::ranges::min_element(callers_, {}, &Caller::time_ns);
    }
    last_ = static_cast<size_t>(at - callers_.begin());
  }
  callers_[last_] = {record.thread, record.time_ns};
}

bool RecentCallers::IsAnotherAtWork(uint32_t self, int64_t since_ns) const {
  return std::ranges::any_of(callers_, [=](const Caller& one) {
    return one.thread != 0 && one.thread != self && one.time_ns >= since_ns &&
           IsThere(one.thread);
  });
}

}  // namespace inquest::collector
