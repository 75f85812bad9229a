// SPDX-License-Identifier: Apache-2.0
#include "trace/store/private_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/input_file.h"

namespace inquest::trace {
namespace {

constexpr int kAttempts = 20;
constexpr size_t kWalHeader = 32;     // with the salts of its generation
constexpr size_t kTraceHeader = 100;  // with the number of its last change
constexpr size_t kCopiedAtOnce = 256 << 10;

Status Failed(const TraceFiles& files, const std::string& why) {
  return Status(StatusCode::kIncomplete,
                "'" + files.folder + files.trace +
                    "' belongs to someone else, cannot be written or may still "
                    "grow on another machine, and copying it to read what its "
                    "process left failed: " +
                    why)
      .WithHint(
          "set TMPDIR to a folder with room; or copy the run yourself "
          "and give the copy");
}

// A sparse file takes less room than its size says, and its copy may fill the
// disk.
bool HasRoom(int fd, off_t bytes) {
  struct statvfs room {};
  if (fstatvfs(fd, &room) != 0) return true;
  return static_cast<uint64_t>(bytes) / room.f_frsize < room.f_bavail;
}

bool WriteAll(int to, std::string_view bytes, off_t at) {
  while (!bytes.empty()) {
    const ssize_t done = pwrite(to, bytes.data(), bytes.size(), at);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    at += done;
    bytes.remove_prefix(static_cast<size_t>(done));
  }
  return true;
}

// Returns 0 or an errno. Zeros take no room in the copy: most of a journal was
// never written. Which parts those are is not asked of the file system, which
// may not know yet what a process wrote to its mapping.
int CopyBytes(int from, int to, off_t bytes) {
  if (!HasRoom(to, bytes)) return ENOSPC;
  static const std::string* const kZeros = new std::string(kCopiedAtOnce, '\0');
  std::string piece(kCopiedAtOnce, '\0');
  off_t at = 0;
  while (at < bytes) {
    const ssize_t got = pread(from, piece.data(), kCopiedAtOnce, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;  // it has become shorter
    const auto size = static_cast<size_t>(std::min<off_t>(got, bytes - at));
    const bool empty = std::memcmp(piece.data(), kZeros->data(), size) == 0;
    if (!empty && !WriteAll(to, {piece.data(), size}, at)) return errno;
    at += static_cast<off_t>(size);
  }
  return ftruncate(to, at) == 0 ? 0 : errno;
}

ino_t InodeOf(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

// Differs if the files were not all the same from one look to the next: a
// segment of the journal may have taken another's name, SQLite may have begun
// its -wal anew, or without one have changed the trace itself.
std::string Generation(const TraceFiles& files) {
  const std::string trace = files.folder + files.trace;
  std::string all = files.has_trace ? "trace" : "";
  for (const std::string& name : files.journals) {
    all += ' ' + name + ' ' + std::to_string(InodeOf(files.folder + name));
  }
  for (const std::string& name : files.others) all += ' ' + name;
  const std::string wal = ReadStart(trace + "-wal", kWalHeader);
  return all + ' ' + (wal.empty() ? ReadStart(trace, kTraceHeader) : wal);
}

}  // namespace

Expected<std::unique_ptr<PrivateCopy>> PrivateCopy::Make(
    const TraceFiles& files, bool with_journal) {
  std::unique_ptr<PrivateCopy> copy(new PrivateCopy(files));
  Expected<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder.ok()) return Failed(files, folder.status().message());
  copy->folder_ = std::move(*folder);
  const std::string original = files.folder + files.trace;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    ASSIGN_OR_RETURN(copy->files_, LookAtTrace(original));
    const std::string before = Generation(copy->files_);
    RETURN_IF_ERROR(copy->CopyAll(with_journal));
    ASSIGN_OR_RETURN(const TraceFiles after, LookAtTrace(original));
    if (Generation(after) == before) return copy;
    copy->Clear();
  }
  return Failed(files, "it changes too fast");
}

Status PrivateCopy::CopyAll(bool with_journal) {
  // First: what leaves the journal meanwhile is then in the trace.
  if (with_journal) {
    for (const std::string& name : files_.journals) RETURN_IF_ERROR(Copy(name));
  }
  if (files_.has_trace) RETURN_IF_ERROR(Copy(files_.trace));
  for (const std::string& name : files_.others) RETURN_IF_ERROR(Copy(name));
  return Status::Ok();
}

Status PrivateCopy::Copy(const std::string& name) {
  const std::string from = files_.folder + name;
  const Expected<InputFile> file =
      InputFile::Open("the file", from, Links::kRefuse);
  // SQLite removes its files when it is done with them.
  const bool gone = !file.ok() && access(from.c_str(), F_OK) != 0;
  if (gone && name != files_.trace) return Status::Ok();
  RETURN_IF_ERROR(file.status());
  const int to = open((folder_.path() + name).c_str(),
                      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (to < 0) {
    return Failed(files_, folder_.path() + name + ": " + strerror(errno));
  }
  const int why = CopyBytes(file->fd(), to, file->facts().st_size);
  close(to);
  if (why == 0) return Status::Ok();
  return Failed(files_, folder_.path() + ": " + std::strerror(why));
}

Status PrivateCopy::InWordsOfTheOriginal(const Status& status) const {
  std::string message = status.message();
  for (size_t at = message.find(folder_.path()); at != message.npos;
       at = message.find(folder_.path(), at + files_.folder.size())) {
    message.replace(at, folder_.path().size(), files_.folder);
  }
  return Status(status.code(), message).WithHint(status.hint());
}

void PrivateCopy::Clear() {
  for (const char* end : {"", "-wal", "-shm", "-journal"}) {
    unlink((folder_.path() + files_.trace + end).c_str());
  }
  for (const std::string& name : files_.journals) {
    unlink((folder_.path() + name).c_str());
  }
}

}  // namespace inquest::trace
