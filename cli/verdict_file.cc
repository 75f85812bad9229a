// SPDX-License-Identifier: Apache-2.0
#include "cli/verdict_file.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "analyzer/report/report.h"
#include "base/units.h"
#include "cli/command.h"

namespace inquest::cli {
namespace {

// In place, because schedulers read such a file: Kubernetes mounts
// /dev/termination-log and takes 4,096 bytes of it. /dev/fd/3 is the open file
// itself, which its opener may be allowed to write and we may not.
FILE* OpenVerdict(const std::string& path) {
  constexpr std::string_view kOpen = "/dev/fd/";
  if (!path.starts_with(kOpen)) return fopen(path.c_str(), "we");
  const int fd = fcntl(atoi(path.c_str() + kOpen.size()), F_DUPFD_CLOEXEC, 3);
  return fd < 0 ? nullptr : fdopen(fd, "w");
}

}  // namespace

Status WriteVerdict(const std::string& path,
                    const findings::Diagnosis& diagnosis) {
  if (path.empty()) return Status::Ok();
  std::string line = report::OneLine(diagnosis);
  Shorten(&line, 4000);
  line = PrintableLines(line) + "\n";
  FILE* file = OpenVerdict(path);
  const bool written = file != nullptr &&
                       fwrite(line.data(), 1, line.size(), file) == line.size();
  const int error = errno;
  if (file != nullptr && fclose(file) == 0 && written) return Status::Ok();
  return Usage("cannot write the verdict to '" + path +
               "': " + strerror(error));
}

}  // namespace inquest::cli
