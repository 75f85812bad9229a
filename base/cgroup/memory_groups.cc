// SPDX-License-Identifier: Apache-2.0
#include "base/cgroup/memory_groups.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace inquest {
namespace {

constexpr size_t kMaxBytes = 1u << 20;  // of mountinfo; others are small
constexpr size_t kMaxGroups = 8;
// Without a limit, v1 has the highest number of pages that fits.
constexpr int64_t kNoLimit = int64_t{1} << 62;

std::string Contents(const std::string& path) {
  std::string text;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return text;
  char bytes[4096];
  for (ssize_t n = 0; text.size() < kMaxBytes; text.append(bytes, n)) {
    n = read(fd, bytes, sizeof bytes);
    if (n <= 0) break;
  }
  close(fd);
  return text;
}

// Calls `use` with each line until it returns true.
template <typename Use>
void ForEachLine(std::string_view text, Use&& use) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (use(text.substr(0, end)) || end == text.npos) return;
    text.remove_prefix(end + 1);
  }
}

// The field of that number, counted from 0; empty if there are fewer.
std::string_view Field(std::string_view line, int number) {
  for (; number > 0; --number) {
    const size_t space = line.find(' ');
    if (space == line.npos) return {};
    line.remove_prefix(space + 1);
  }
  return line.substr(0, line.find(' '));
}

std::optional<int64_t> Number(std::string_view text) {
  const std::string digits(text.substr(0, text.find_first_of(" \n")));
  char* end = nullptr;
  const int64_t number = std::strtoll(digits.c_str(), &end, 10);
  if (digits.empty() || *end != '\0') return {};
  return number;
}

std::optional<int64_t> NumberIn(const std::string& path) {
  return Number(Contents(path));
}

// The number after a name at the beginning of a line.
std::optional<int64_t> Count(std::string_view text, std::string_view name) {
  std::optional<int64_t> found;
  ForEachLine(text, [&](std::string_view line) {
    if (Field(line, 0) == name) found = Number(Field(line, 1));
    return found.has_value();
  });
  return found;
}

bool HasWord(std::string_view list, std::string_view word) {
  const std::string framed = "," + std::string(list) + ",";
  return framed.find("," + std::string(word) + ",") != framed.npos;
}

// Where the controller is mounted, and the group that the mount shows as "/".
struct Mount {
  std::string folder;
  std::string shows;
};

// proc(5): id parent device root folder options [tags] - type source options.
std::optional<Mount> FindMount(const std::string& root, bool v2) {
  std::optional<Mount> found;
  ForEachLine(
      Contents(root + "/proc/self/mountinfo"), [&](std::string_view line) {
        const size_t dash = line.find(" - ");
        if (dash == line.npos) return false;
        const std::string_view rest = line.substr(dash + 3);
        const bool fits = v2 ? Field(rest, 0) == "cgroup2"
                             : Field(rest, 0) == "cgroup" &&
                                   HasWord(Field(rest, 2), "memory");
        if (!fits) return false;
        found = Mount{std::string(Field(line, 4)), std::string(Field(line, 3))};
        return true;
      });
  return found;
}

// proc(5): number:controllers:group; v2 has the number 0 and no controllers.
std::optional<std::string> OwnGroup(const std::string& root, bool v2) {
  std::optional<std::string> found;
  ForEachLine(Contents(root + "/proc/self/cgroup"), [&](std::string_view line) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) return false;
    const std::string_view names = line.substr(first + 1, second - first - 1);
    if (v2 ? line.substr(0, first) != "0" : !HasWord(names, "memory")) {
      return false;
    }
    found = std::string(line.substr(second + 1));
    return true;
  });
  return found;
}

// The group's path below the mount. Inside a container the mount often shows
// the container's own group, of which the kernel gives the whole path.
std::string Below(const Mount& mount, const std::string& group) {
  if (mount.shows == "/") return group == "/" ? "" : group;
  if (group.starts_with(mount.shows)) return group.substr(mount.shows.size());
  return {};
}

MemoryGroup ReadV2(const std::string& folder) {
  MemoryGroup group;
  group.limit_bytes = NumberIn(folder + "/memory.max");  // or "max"
  group.used_bytes = NumberIn(folder + "/memory.current");
  group.peak_bytes = NumberIn(folder + "/memory.peak");
  const std::string events = Contents(folder + "/memory.events");
  group.refusals = Count(events, "max");
  group.ooms = Count(events, "oom");
  group.oom_kills = Count(events, "oom_kill");
  return group;
}

MemoryGroup ReadV1(const std::string& folder) {
  MemoryGroup group;
  group.limit_bytes = NumberIn(folder + "/memory.limit_in_bytes");
  if (group.limit_bytes > kNoLimit) group.limit_bytes.reset();
  group.used_bytes = NumberIn(folder + "/memory.usage_in_bytes");
  group.peak_bytes = NumberIn(folder + "/memory.max_usage_in_bytes");
  group.refusals = NumberIn(folder + "/memory.failcnt");
  group.oom_kills = Count(Contents(folder + "/memory.oom_control"), "oom_kill");
  return group;
}

bool SaysNothing(const MemoryGroup& group) {
  return !group.limit_bytes && !group.used_bytes && !group.oom_kills;
}

std::vector<MemoryGroup> ReadHierarchy(const std::string& root, bool v2) {
  std::vector<MemoryGroup> groups;
  const std::optional<Mount> mount = FindMount(root, v2);
  const std::optional<std::string> own = OwnGroup(root, v2);
  if (!mount || !own) return groups;
  std::string below = Below(*mount, *own);
  while (groups.size() < kMaxGroups) {
    const std::string folder = mount->folder + below;
    MemoryGroup group = v2 ? ReadV2(root + folder) : ReadV1(root + folder);
    group.path = folder;
    const bool tells = groups.empty() || group.limit_bytes;
    if (tells && !SaysNothing(group)) groups.push_back(std::move(group));
    if (below.empty()) break;
    below.resize(below.rfind('/'));
  }
  return groups;
}

}  // namespace

// With both mounted, one of them has the controller of memory.
std::vector<MemoryGroup> ReadMemoryGroups(const std::string& root) {
  std::vector<MemoryGroup> groups = ReadHierarchy(root, false);
  return groups.empty() ? ReadHierarchy(root, true) : groups;
}

}  // namespace inquest
