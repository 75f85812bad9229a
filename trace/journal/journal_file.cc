// SPDX-License-Identifier: Apache-2.0
// Creates, maps and unmaps the journal's file; journal.cc appends and drains.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "trace/journal/journal.h"
#include "trace/journal/process_clock.h"

namespace inquest::trace {
namespace {

constexpr uint64_t kPage = kJournalHeaderSize;  // the ring begins on one

// A limit on file sizes would send SIGXFSZ to the host; stay below it.
size_t WithinFileLimit(size_t size) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return size;
  if (limit.rlim_cur == RLIM_INFINITY) return size;
  return limit.rlim_cur < kJournalHeaderSize
             ? 0
             : std::min<size_t>(size, limit.rlim_cur - kJournalHeaderSize);
}

// Moves our descriptor away from the low numbers that hosts close and reuse.
int MoveHigh(int fd) {
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, 400);
  if (high < 0) return fd;
  close(fd);
  return high;
}

// Held for the life of the process; shows readers in other pid namespaces that
// the process is still alive.
void LockForLife(int fd) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  fcntl(fd, F_SETLK, &lock);
}

}  // namespace

Expected<std::unique_ptr<Journal>> Journal::Create(const std::string& path,
                                                   size_t size) {
  std::unique_ptr<Journal> journal(new Journal);
  journal->path_ = path;
  // Created under another name and renamed when complete, so that a process
  // killed in between leaves no empty journal.
  const std::string temporary = path + ".new";
  bool mapped = false;
  errno = EFBIG;
  for (size_t want = WithinFileLimit(std::max(size, kSmallestSize));
       !mapped && want >= kSmallestSize; want /= 4) {
    mapped = journal->Map(temporary, want);
    if (!mapped && (errno == EACCES || errno == EROFS || errno == ENOENT ||
                    errno == EEXIST || errno == ENOTDIR)) {
      break;
    }
  }
  const int why = errno;
  if (!mapped && !journal->MapAnonymous()) {
    return Internal("cannot make the journal '" + path +
                    "': " + std::strerror(why));
  }
  journal->InitHeader();
  if (mapped && std::rename(temporary.c_str(), path.c_str()) != 0) {
    unlink(temporary.c_str());
    return Internal("cannot make the journal '" + path +
                    "': " + std::strerror(errno));
  }
  journal->persistent_ = mapped;
  if (!mapped) journal->why_in_memory_ = std::strerror(why);
  return journal;
}

bool Journal::Map(const std::string& temporary, size_t size) {
  const size_t total = kJournalHeaderSize + std::bit_floor(size);
  const int fd =
      open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const int error = posix_fallocate(fd, 0, static_cast<off_t>(total));
  void* at = MAP_FAILED;
  errno = error;
  if (error == 0) {
    at = mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  if (at == MAP_FAILED) {
    const int why = errno;
    close(fd);
    unlink(temporary.c_str());
    errno = why;
    return false;
  }
  fd_ = MoveHigh(fd);
  LockForLife(fd_);
  size_ = total;
  header_ = static_cast<JournalHeader*>(at);
  return true;
}

bool Journal::MapAnonymous() {
  const size_t total = kJournalHeaderSize + (1u << 20);
  void* at = mmap(nullptr, total, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return false;
  size_ = total;
  header_ = static_cast<JournalHeader*>(at);
  return true;
}

void Journal::InitHeader() {
  // The pages are already zero, the initial value of every counter.
  JournalHeader& header = *header_;
  slots_ = (size_ - kJournalHeaderSize) / kSlotSize;
  ring_ = reinterpret_cast<char*>(header_) + kJournalHeaderSize;
  header.version = kJournalVersion;
  header.header_size = kJournalHeaderSize;
  header.slots = slots_;
  header.pid = getpid();
  header.process_start = ProcessStart(getpid());
  header.pid_namespace = PidNamespace();
  header.boot = BootHash();
  header.start_ns = MonotonicNs();
  header.start_realtime_ns = RealtimeNs();
  // A commit word of 0 would look like ticket 0, so tickets begin with the
  // second lap.
  header.head.store(slots_, std::memory_order_relaxed);
  header.drained.store(slots_, std::memory_order_relaxed);
  next_ = slots_;
  Heartbeat();
  std::memcpy(header.magic, kJournalMagic, sizeof header.magic);
}

void Journal::PrepareAhead() {
#ifdef MADV_POPULATE_WRITE
  constexpr uint64_t kAhead = 2u << 20;  // a second of 30,000 calls
  const uint64_t head = header_->head.load(std::memory_order_relaxed);
  if (head == prepared_at_ || !persistent_) return;
  prepared_at_ = head;
  const uint64_t ring = slots_ * kSlotSize;
  const uint64_t begin = (head & (slots_ - 1)) * kSlotSize / kPage * kPage;
  const uint64_t to_end = std::min(kAhead, ring - begin);
  madvise(ring_ + begin, to_end, MADV_POPULATE_WRITE);
  if (to_end < kAhead) {
    madvise(ring_, std::min(kAhead - to_end, ring), MADV_POPULATE_WRITE);
  }
#endif
}

Journal::~Journal() {
  Abandon();
}

void Journal::Abandon() {
  if (header_ != nullptr) munmap(header_, size_);
  if (fd_ >= 0) close(fd_);
  header_ = nullptr;
  fd_ = -1;
}

}  // namespace inquest::trace
