// SPDX-License-Identifier: Apache-2.0
#include "cli/record/console_log.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "trace/records/event.h"

namespace inquest::record {

bool ConsoleLog::Open(const std::string& directory) {
  const std::string path = directory + "/" + std::string(trace::kConsoleLog);
  file_ = UniqueFd(open(
      path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (!file_.ok()) {
    error_ = fmt::format("cannot create {}: {}", path, strerror(errno));
  }
  return file_.ok();
}

bool ConsoleLog::Write(std::string_view bytes) {
  while (file_.ok() && !bytes.empty()) {
    const ssize_t n = write(file_.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ = fmt::format("console.log ends after {} bytes: {}", bytes_,
                           strerror(errno));
      file_.Reset();
      return false;
    }
    bytes_ += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace inquest::record
