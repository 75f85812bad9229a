// SPDX-License-Identifier: Apache-2.0
#include "trace/store/trace_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/input_file.h"
#include "trace/journal/journal.h"
#include "trace/records/event.h"

namespace inquest::trace {
namespace {

// Rolls a trace's files into facts; see LookAtTrace.
class Look {
 public:
  Look(TraceFiles* files, uid_t owner) : files_(files), owner_(owner) {}

  // Whether there is such a file, and its size; links, pipes and the like are
  // an error.
  Expected<bool> Has(const char* what, const std::string& name) {
    const std::string path = files_->folder + name;
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0) {
      if (errno == ENOENT) return false;
      return Unreadable(std::string("cannot read ") + what + " " + path + ": " +
                        std::strerror(errno));
    }
    // Opened only if it is no plain file, for the words that say what it is.
    if (!S_ISREG(info.st_mode)) {
      return CheckInput(what, path, Links::kRefuse);
    }
    size_ = info.st_size;
    one_owner_ = one_owner_ && info.st_uid == owner_ && info.st_nlink == 1;
    return true;
  }
  off_t size() const { return size_; }
  bool one_owner() const { return one_owner_; }

 private:
  TraceFiles* files_;
  uid_t owner_;
  off_t size_ = 0;
  bool one_owner_ = true;
};

// A rollback journal can end with the name of a further file, which SQLite
// deletes after the rollback. Ours never do: it is for transactions over
// several databases.
Status CheckRollback(const std::string& path, off_t size) {
  constexpr std::string_view kMark = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  const Expected<InputFile> file =
      InputFile::Open("the rollback journal", path, Links::kRefuse);
  // A living process removes it when its change is done.
  if (!file.ok() && access(path.c_str(), F_OK) != 0) return Status::Ok();
  RETURN_IF_ERROR(file.status());
  char end[kMark.size()] = {};
  const auto length = static_cast<off_t>(sizeof end);
  if (size < length ||
      pread(file->fd(), end, sizeof end, size - length) != length ||
      std::string_view(end, sizeof end) != kMark) {
    return Status::Ok();
  }
  return Unreadable("the rollback journal " + path +
                    " names a file that SQLite would delete; inquest never "
                    "writes such a journal")
      .WithHint("remove it if you trust the trace beside it");
}

// The names do not tell the order of the segments.
Status AddJournals(Look* look, TraceFiles* files) {
  for (uint64_t number = 0; number < kMaxSegments; ++number) {
    const std::string name = SegmentPath(JournalPath(files->trace), number);
    ASSIGN_OR_RETURN(const bool there, look->Has("the journal", name));
    if (there) files->journals.push_back(name);
  }
  files->unfinished = !files->journals.empty();
  return Status::Ok();
}

Status AddOthers(Look* look, TraceFiles* files) {
  for (const char* end : {"-wal", "-shm", "-journal"}) {
    const std::string name = files->trace + end;
    ASSIGN_OR_RETURN(const bool there, look->Has("the file", name));
    if (!there) continue;
    const bool rollback = std::strcmp(end, "-journal") == 0;
    if (rollback) {
      RETURN_IF_ERROR(CheckRollback(files->folder + name, look->size()));
    }
    // SQLite makes the index of a -wal again.
    if (std::strcmp(end, "-shm") == 0) continue;
    files->others.push_back(name);
    files->unfinished = files->unfinished || look->size() > 0;
  }
  return Status::Ok();
}

bool CanWrite(const TraceFiles& files) {
  const std::string trace = files.folder + files.trace;
  return access(files.folder.c_str(), W_OK) == 0 &&
         (!files.has_trace || access(trace.c_str(), W_OK) == 0);
}

}  // namespace

std::string JournalPath(const std::string& trace_path) {
  std::string stem = trace_path;
  if (stem.size() > kTraceSuffix.size() && stem.ends_with(kTraceSuffix)) {
    stem.resize(stem.size() - kTraceSuffix.size());
  }
  return stem + std::string(kJournalSuffix);
}

Expected<TraceFiles> LookAtTrace(const std::string& trace_path) {
  const size_t slash = trace_path.rfind('/');
  TraceFiles files;
  files.folder =
      slash == trace_path.npos ? "./" : trace_path.substr(0, slash + 1);
  files.trace = trace_path.substr(slash == trace_path.npos ? 0 : slash + 1);
  struct stat folder {};
  if (stat(files.folder.c_str(), &folder) != 0) {
    return Unreadable("cannot read the trace " + trace_path + ": " +
                      std::strerror(errno));
  }
  Look look(&files, folder.st_uid);
  ASSIGN_OR_RETURN(files.has_trace, look.Has("the trace", files.trace));
  RETURN_IF_ERROR(AddJournals(&look, &files));
  RETURN_IF_ERROR(AddOthers(&look, &files));
  // Not root's either: a trace that root finishes is one that the user who
  // recorded the run can no longer read.
  files.ours =
      geteuid() == folder.st_uid && look.one_owner() && CanWrite(files);
  return files;
}

}  // namespace inquest::trace
