// SPDX-License-Identifier: Apache-2.0
// The memory limits of the control groups that this process is in, and how
// often the kernel enforced them, as the files of cgroup v1 and v2 say
// (Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst). The kernel
// counts before it kills, so what a parent reads after its child's death has
// that kill. Reads files only; any thread. Used by the collector for the
// process that it lives in and by `inquest record` around the command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace inquest {

struct MemoryGroup {
  std::string path;  // its folder below /sys/fs/cgroup, as mounted here
  std::optional<int64_t> limit_bytes;  // none: no limit of its own
  std::optional<int64_t> used_bytes;
  std::optional<int64_t> peak_bytes;
  std::optional<int64_t> refusals;  // how often the limit was met
  std::optional<int64_t> ooms;      // v2: and nothing could be reclaimed
  std::optional<int64_t> oom_kills;

  bool operator==(const MemoryGroup&) const = default;
};

// The process's own group first, then those above it that have a limit, at most
// eight. Empty where no controller of memory is mounted. `root` goes before
// /proc and /sys: empty, or a test's folder.
std::vector<MemoryGroup> ReadMemoryGroups(const std::string& root = {});

}  // namespace inquest
