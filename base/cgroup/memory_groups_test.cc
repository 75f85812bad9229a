// SPDX-License-Identifier: Apache-2.0
// Limits of control groups, read from folders laid out as the kernel does.
#include "base/cgroup/memory_groups.h"

#include <filesystem>
#include <fstream>

#include "tests/catch_compat.h"
#include "trace/testing/temp_dir.h"

namespace inquest {
namespace {

class System {
 public:
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string root() const { return dir_.path(); }
  std::vector<MemoryGroup> Read() const { return ReadMemoryGroups(root()); }

 private:
  trace::TempDir dir_;
};

TEST_CASE("v2: the own group and those above that have a limit") {
  System system;
  system.Write("/proc/self/mountinfo",
               "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 "
               "cgroup2 rw,nsdelegate\n");
  system.Write("/proc/self/cgroup", "0::/user.slice/job.scope/step\n");
  const std::string base = "/sys/fs/cgroup/user.slice";
  system.Write(base + "/job.scope/step/memory.max", "max\n");
  system.Write(base + "/job.scope/step/memory.current", "4096\n");
  system.Write(base + "/job.scope/step/memory.events",
               "low 0\nhigh 0\nmax 0\noom 0\noom_kill 1\noom_group_kill 0\n");
  system.Write(base + "/job.scope/memory.max", "8589934592\n");
  system.Write(base + "/job.scope/memory.peak", "8589934592\n");
  system.Write(base + "/job.scope/memory.events",
               "low 0\nhigh 0\nmax 77\noom 2\noom_kill 1\n");
  system.Write(base + "/memory.max", "max\n");
  system.Write(base + "/memory.current", "9\n");
  const auto groups = system.Read();
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].path == base + "/job.scope/step");
  CHECK_FALSE(groups[0].limit_bytes.has_value());
  CHECK(groups[0].oom_kills == 1);
  CHECK(groups[1].limit_bytes == 8589934592);
  CHECK(groups[1].peak_bytes == 8589934592);
  CHECK(groups[1].refusals == 77);
  CHECK(groups[1].ooms == 2);
}

TEST_CASE("v1: the controller of memory beside an empty v2") {
  System system;
  system.Write("/proc/self/mountinfo",
               "31 24 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
               "33 24 0:29 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup "
               "cgroup rw,memory\n");
  system.Write("/proc/self/cgroup", "9:pids:/\n4:memory:/job\n0::/\n");
  const std::string job = "/sys/fs/cgroup/memory/job/memory.";
  system.Write(job + "limit_in_bytes", "268435456\n");
  system.Write(job + "usage_in_bytes", "268000000\n");
  system.Write(job + "failcnt", "12\n");
  system.Write(job + "oom_control",
               "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  system.Write("/sys/fs/cgroup/memory/memory.limit_in_bytes",
               "9223372036854771712\n");
  const auto groups = system.Read();
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].limit_bytes == 268435456);
  CHECK(groups[0].refusals == 12);
  CHECK_FALSE(groups[0].ooms.has_value());
  CHECK(groups[0].oom_kills == 3);
}

TEST_CASE("a container's mount shows its own group as the root") {
  System system;
  system.Write(
      "/proc/self/mountinfo",
      "31 24 0:27 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  system.Write("/proc/self/cgroup", "0::/docker/abc\n");
  system.Write("/sys/fs/cgroup/memory.max", "1048576\n");
  const auto groups = system.Read();
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].path == "/sys/fs/cgroup");
  CHECK(groups[0].limit_bytes == 1048576);
}

TEST_CASE("nothing is mounted, or nothing can be read") {
  System system;
  CHECK(system.Read().empty());
  system.Write("/proc/self/mountinfo", "no such line\n1 - \n\n");
  system.Write("/proc/self/cgroup", "0\n:::\n");
  CHECK(system.Read().empty());
}

}  // namespace
}  // namespace inquest
