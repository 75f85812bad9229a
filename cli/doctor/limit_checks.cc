// SPDX-License-Identifier: Apache-2.0
// Limits and the kernel log, as a process started here meets them.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/cgroup/memory_groups.h"
#include "base/units.h"
#include "cli/doctor/checks.h"
#include "host/distributions.h"

namespace inquest::doctor {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLargeFile = 1 << 30;
constexpr int64_t kLeastShared = 64 << 20;

struct Limit {
  int resource;
  const char* name;
  const char* flag;  // of the shell's ulimit
  int64_t least;     // below this something fails
  bool bytes;
  const char* what;  // fails
};
// Least figures: the collector's own files are numbered from 400; a file of a
// trace may have INQUEST_MAX_DISK; CUDA reserves address space for all GPUs
// and all host memory.
constexpr Limit kLimits[] = {
    {RLIMIT_NOFILE, "open files", "-n", 1024, false,
     "data loaders and NCCL run out of them"},
    {RLIMIT_NPROC, "processes", "-u", 1024, false,
     "data loaders and their threads count, for all of a user's jobs"},
    {RLIMIT_FSIZE, "file size", "-f", kLargeFile, true,
     "larger checkpoints and traces end in SIGXFSZ"},
    {RLIMIT_AS, "address space", "-v", int64_t{1} << 44, true,
     "CUDA reserves far more than it uses, and cuInit fails"},
    {RLIMIT_MEMLOCK, "locked memory", "-l", int64_t{1} << 30, true,
     "RDMA cannot register its buffers"},
};

std::string Shown(const Limit& limit, rlim_t value) {
  if (value == RLIM_INFINITY) return "unlimited";
  const auto number = static_cast<int64_t>(value);
  return limit.bytes ? FormatBytes(number) : FormatCount(number);
}

bool HasRdma(const std::string& root) {
  std::error_code error;
  const fs::path folder = root + "/sys/class/infiniband";
  return fs::exists(folder, error) && !fs::is_empty(folder, error);
}

// Says of each low limit what it breaks.
Check ProcessLimits(const std::string& root) {
  Check check{"limits", State::kOk, "", "", {}};
  for (const Limit& limit : kLimits) {
    struct rlimit now {};
    if (getrlimit(static_cast<__rlimit_resource>(limit.resource), &now) != 0) {
      continue;
    }
    check.facts[limit.name] = Shown(limit, now.rlim_cur);
    const bool low = now.rlim_cur != RLIM_INFINITY &&
                     static_cast<int64_t>(now.rlim_cur) < limit.least;
    if (!low || (limit.resource == RLIMIT_MEMLOCK && !HasRdma(root))) continue;
    check.state = State::kWarning;
    check.text +=
        fmt::format("{}{} {}: {}", check.text.empty() ? "" : "; ",
                    Shown(limit, now.rlim_cur), limit.name, limit.what);
    check.next += fmt::format("{}ulimit {} {}", check.next.empty() ? "" : "; ",
                              limit.flag, Shown(limit, now.rlim_max));
  }
  if (check.text.empty()) {
    check.text = "files, processes, file size and address space are enough";
  }
  return check;
}

// The group that leaves the least.
Check MemoryCheck(const std::string& root) {
  Check check{"memory", State::kOk, "no limit by a control group", "", {}};
  for (const MemoryGroup& group : ReadMemoryGroups(root)) {
    if (!group.limit_bytes) continue;
    const int64_t limit = *group.limit_bytes;
    const int64_t left = limit - group.used_bytes.value_or(0);
    if (check.facts.contains("left_bytes") &&
        check.facts["left_bytes"].get<int64_t>() <= left) {
      continue;
    }
    check.text = fmt::format(
        "the control group {} limits host memory to {}, {} "
        "of it in use",
        group.path, FormatBytes(limit),
        FormatBytes(group.used_bytes.value_or(0)));
    check.facts = {{"group", group.path},
                   {"limit_bytes", limit},
                   {"used_bytes", group.used_bytes.value_or(0)},
                   {"left_bytes", left},
                   {"oom_kills", group.oom_kills.value_or(0)}};
    check.state = left < limit / 10 ? State::kWarning : State::kOk;
  }
  if (check.state == State::kWarning) {
    check.next =
        "file caches count in it and are given back; ask for more "
        "memory if they are not what fills it";
  }
  return check;
}

// Docker's default of 64 MiB ends data loaders with SIGBUS.
Check SharedMemory(const std::string& root) {
  struct statvfs disk {};
  const std::string path = root + "/dev/shm";
  if (statvfs(path.c_str(), &disk) != 0) {
    return {"shared memory",
            State::kWarning,
            "there is no /dev/shm: data loaders with workers fail",
            "mount it, or docker run --ipc=host",
            {}};
  }
  const auto total = static_cast<int64_t>(disk.f_blocks * disk.f_frsize);
  const auto free = static_cast<int64_t>(disk.f_bavail * disk.f_frsize);
  Check check{"shared memory",
              State::kOk,
              fmt::format("{} of {} free in /dev/shm", FormatBytes(free),
                          FormatBytes(total)),
              "",
              {{"total_bytes", total}, {"free_bytes", free}}};
  if (free < kLeastShared) {
    check.state = State::kWarning;
    check.text += ": data loaders with workers end with a bus error";
    check.next = "docker run --shm-size=8g (or --ipc=host)";
  }
  return check;
}

}  // namespace

void CheckLimits(const Machine& machine, Checks* checks) {
  checks->push_back(ProcessLimits(machine.root));
  checks->push_back(MemoryCheck(machine.root));
  checks->push_back(SharedMemory(machine.root));
}

void CheckKernelLog(const Machine& machine, Checks* checks) {
  const std::string path = machine.root + "/dev/kmsg";
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0) {
    char first[1];
    // EINVAL: a whole record is longer than that, so there is one to read.
    const bool readable = read(fd, first, sizeof first) >= 0 ||
                          errno == EINVAL || errno == EAGAIN || errno == EPIPE;
    close(fd);
    if (readable) {
      checks->push_back({"kernel log",
                         State::kOk,
                         "can be read; give it to the diagnosis: dmesg -T > "
                         "dmesg.txt",
                         "",
                         {}});
      return;
    }
  }
  checks->push_back(
      {"kernel log",
       State::kNote,
       fmt::format("cannot be read here ({}): Xid errors and the kernel's OOM "
                   "killer are then known only as far as NVML and the control "
                   "group tell",
                   strerror(errno)),
       "ask for `dmesg -T` of the node, or journalctl -k as a member of "
       "systemd-journal",
       {}});
}

}  // namespace inquest::doctor
