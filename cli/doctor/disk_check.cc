// SPDX-License-Identifier: Apache-2.0
// Whether a run could be kept where it would be kept.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/units.h"
#include "cli/doctor/checks.h"

namespace inquest::doctor {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kUsualMaxDisk = 1 << 30;
constexpr int64_t kTooLittle = 64 << 20;

// What is there of the path: the folder itself or one above it.
std::string ExistingPartOf(const std::string& path) {
  std::error_code error;
  fs::path part = fs::absolute(path, error);
  while (!fs::exists(part, error) && part.has_relative_path()) {
    part = part.parent_path();
  }
  return part.native();
}

// Whether the journal could be a shared mapping of a file here; the file has no
// name and is gone at once. Empty, or the step that fails and why.
std::string WhyNoJournal(const std::string& folder) {
  int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    std::string name = folder + "/.inquest-doctor-XXXXXX";
    fd = mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) unlink(name.c_str());
  }
  if (fd < 0) return fmt::format("no file can be made: {}", strerror(errno));
  std::string why;
  if (const int error = posix_fallocate(fd, 0, 4096); error != 0) {
    why = fmt::format("no space can be reserved: {}", strerror(error));
  } else {
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
      why = fmt::format("no shared mapping: {}", strerror(errno));
    } else {
      munmap(page, 4096);
    }
  }
  close(fd);
  return why;
}

int64_t MaxDisk() {
  const auto bytes = ParseBytes(Variable("INQUEST_MAX_DISK"));
  return bytes && *bytes >= 1 << 20 ? *bytes : kUsualMaxDisk;
}

}  // namespace

void CheckRunDirectory(const Machine& machine, Checks* checks) {
  const std::string folder = ExistingPartOf(machine.directory);
  struct statvfs disk {};
  Check check{"disk", State::kOk, "", "", {}};
  if (statvfs(folder.c_str(), &disk) != 0) {
    check.state = State::kProblem;
    check.text = fmt::format("{}: {}", folder, strerror(errno));
    checks->push_back(std::move(check));
    return;
  }
  const auto free = static_cast<int64_t>(disk.f_bavail * disk.f_frsize);
  check.text = fmt::format("{} free for runs in {}", FormatBytes(free), folder);
  check.facts = {
      {"folder", folder}, {"free_bytes", free}, {"max_disk_bytes", MaxDisk()}};
  if (const std::string why = WhyNoJournal(folder); !why.empty()) {
    check.state = State::kProblem;
    check.text += "; " + why;
    check.next = "choose another directory: inquest record -o DIR";
  } else if (free < kTooLittle || (disk.f_files > 0 && disk.f_favail < 16)) {
    check.state = State::kProblem;
    check.text += disk.f_favail < 16 ? "; no inodes are left" : "";
    check.next = "free some space, or record elsewhere: inquest record -o DIR";
  } else if (free < MaxDisk()) {
    check.state = State::kWarning;
    check.text += fmt::format("; a process may take {} (INQUEST_MAX_DISK)",
                              FormatBytes(MaxDisk()));
    check.next = "free some space, or set INQUEST_MAX_DISK lower";
  }
  checks->push_back(std::move(check));
}

}  // namespace inquest::doctor
