// SPDX-License-Identifier: Apache-2.0
#include "cli/record/console_log.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/record/console_parts.h"
#include "trace/records/event.h"

namespace inquest::record {
namespace {

UniqueFd Create(const std::string& path) {
  return UniqueFd(open(
      path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
}

bool WriteWhole(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(to, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool CopyFile(const std::string& from, int to) {
  const UniqueFd file(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  std::string block(256 << 10, '\0');
  ssize_t n = -1;
  while (file.ok() && (n = read(file.get(), block.data(), block.size())) > 0) {
    if (!WriteWhole(to, {block.data(), static_cast<size_t>(n)})) return false;
  }
  return n == 0;
}

}  // namespace

bool ConsoleLog::Open(const std::string& directory, uint64_t most) {
  directory_ = directory;
  limit_ = most / 4;
  part_limit_ = most / 8 * 3;
  const std::string path = directory + "/" + std::string(trace::kConsoleLog);
  file_ = Create(path);
  if (!file_.ok()) {
    error_ = fmt::format("cannot create {}: {}", path, strerror(errno));
  }
  return file_.ok();
}

uint64_t ConsoleLog::left_out() const {
  const uint64_t first = older_ != 0 ? older_ : newer_;
  return first == 0 ? 0 : first - begin_;
}

// How much of `lines` the file still takes: whole lines, if it has any already.
size_t ConsoleLog::Fitting(std::string_view lines) const {
  const uint64_t room = limit_ > in_file_ ? limit_ - in_file_ : 0;
  if (lines.size() <= room) return lines.size();
  const size_t end = lines.substr(0, room).rfind('\n');
  if (end != lines.npos) return end + 1;
  return in_file_ > 0 ? 0 : std::max<size_t>(room, 1);
}

bool ConsoleLog::Write(std::string_view lines) {
  while (file_.ok() && !lines.empty()) {
    const size_t fitting = Fitting(lines);
    const bool written =
        fitting == 0 ? NextPart() : WritePart(lines.substr(0, fitting));
    if (!written) {
      error_ = fmt::format("console.log ends after {} bytes: {}", bytes_,
                           strerror(errno));
      file_.Reset();
      return false;
    }
    lines.remove_prefix(fitting);
  }
  return true;
}

bool ConsoleLog::WritePart(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(file_.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes_ += static_cast<uint64_t>(n);
    in_file_ += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// The older part goes only after there is a new one.
bool ConsoleLog::NextPart() {
  if (newer_ == 0) begin_ = bytes_;
  UniqueFd next = Create(PartPath(directory_, begin_, bytes_));
  if (!next.ok()) return false;
  if (older_ != 0) unlink(PartPath(directory_, begin_, older_).c_str());
  older_ = newer_;
  newer_ = bytes_;
  file_ = std::move(next);
  limit_ = part_limit_;
  in_file_ = 0;
  return true;
}

bool ConsoleLog::CopyParts(int to) const {
  if (!CopyFile(directory_ + "/" + std::string(trace::kConsoleLog), to)) {
    return false;
  }
  if (left_out() > 0 && !WriteWhole(to, LeftOutLine(left_out()))) return false;
  for (const uint64_t offset : {older_, newer_}) {
    if (offset != 0 && !CopyFile(PartPath(directory_, begin_, offset), to)) {
      return false;
    }
  }
  return true;
}

void ConsoleLog::Finish() {
  file_.Reset();
  if (newer_ == 0) return;
  const std::string path = directory_ + "/" + std::string(trace::kConsoleLog);
  const std::string fresh = path + ".new";
  UniqueFd whole = Create(fresh);
  if (!whole.ok()) return;
  if (!CopyParts(whole.get()) || rename(fresh.c_str(), path.c_str()) != 0) {
    unlink(fresh.c_str());
    return;
  }
  for (const uint64_t offset : {older_, newer_}) {
    if (offset != 0) unlink(PartPath(directory_, begin_, offset).c_str());
  }
}

}  // namespace inquest::record
