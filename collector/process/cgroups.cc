// SPDX-License-Identifier: Apache-2.0
// Records the control groups that limit the process's host memory: when
// recording begins, when the kernel's killer or a reclaim without result was
// counted, and when it ends. Background thread only.
#include <algorithm>
#include <string>
#include <vector>

#include "base/cgroup/memory_groups.h"
#include "collector/core/emit.h"
#include "collector/core/lifecycle.h"
#include "collector/core/source.h"

namespace inquest::collector {
namespace {

constexpr int64_t kLookEveryNs = 1'000'000'000;

struct Groups {
  std::vector<MemoryGroup> last;
  int64_t next_look_ns = 0;
  bool ended = false;
};
// Never freed: the background thread may use it until the process ends.
Groups* g_groups = nullptr;

void EmitGroup(const MemoryGroup& group) {
  const auto number = [](const std::optional<int64_t>& value) {
    return value.value_or(trace::kNoNumber);
  };
  trace::CgroupMemoryRecord record;
  record.time_ns = MonotonicNs();
  record.path = group.path;
  record.limit_bytes = number(group.limit_bytes);
  record.used_bytes = number(group.used_bytes);
  record.peak_bytes = number(group.peak_bytes);
  record.refusals = number(group.refusals);
  record.ooms = number(group.ooms);
  record.oom_kills = number(group.oom_kills);
  Emit(record);
}

bool IsNews(const std::vector<MemoryGroup>& now,
            const std::vector<MemoryGroup>& before) {
  return !std::equal(now.begin(), now.end(), before.begin(), before.end(),
                     [](const MemoryGroup& a, const MemoryGroup& b) {
                       return a.path == b.path && a.ooms == b.ooms &&
                              a.oom_kills == b.oom_kills &&
                              a.limit_bytes == b.limit_bytes;
                     });
}

void LookAtGroups(const Config& config) {
  if (g_groups == nullptr) g_groups = new Groups;
  const int64_t now = MonotonicNs();
  const bool last = IsExiting() && !g_groups->ended;
  if (now < g_groups->next_look_ns && !last) return;
  g_groups->next_look_ns = now + kLookEveryNs;
  g_groups->ended = IsExiting();
  std::vector<MemoryGroup> groups = ReadMemoryGroups(config.system_root);
  if (!last && !IsNews(groups, g_groups->last)) return;
  for (const MemoryGroup& group : groups) EmitGroup(group);
  g_groups->last = std::move(groups);
}

}  // namespace

constinit const Source kCgroupsSource = {
    .name = "cgroups",
    .housekeep = LookAtGroups,
    .forget_in_child = [] { g_groups = nullptr; },
};

}  // namespace inquest::collector
