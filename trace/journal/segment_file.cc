// SPDX-License-Identifier: Apache-2.0
// Creates, maps and unmaps a segment's file; segment.cc appends and drains.
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "trace/journal/page_rescue.h"
#include "trace/journal/process_clock.h"
#include "trace/journal/segment.h"

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

// Whether what is written again goes to another place, so that writing to an
// allocated file needs room.
bool IsCopying(int fd) {
  constexpr long kZfs = 0x2fc12fc1;
  constexpr long kBcachefs = 0xca451a4e;
  struct statfs system {};
  return fstatfs(fd, &system) == 0 &&
         (system.f_type == BTRFS_SUPER_MAGIC || system.f_type == kZfs ||
          system.f_type == kBcachefs);
}

// Held for the life of the process; shows readers that it is still alive.
void LockForLife(int fd) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  LockOwn(fd, F_SETLK, &lock);
}

}  // namespace

std::unique_ptr<Segment> Segment::Create(const std::string& path, size_t size) {
  std::unique_ptr<Segment> segment(new Segment);
  segment->path_ = path;
  size = WithinFileLimit(size);
  if (size < kSmallestSize) {
    errno = EFBIG;
    return nullptr;
  }
  // Created under another name and renamed when complete, so that a process
  // killed in between leaves no empty journal.
  const std::string temporary = path + ".new";
  if (!segment->Map(temporary, size)) return nullptr;
  segment->InitHeader();
  if (std::rename(temporary.c_str(), path.c_str()) == 0) return segment;
  const int why = errno;
  unlink(temporary.c_str());
  errno = why;
  return nullptr;
}

bool Segment::Map(const std::string& temporary, size_t size) {
  const size_t total = kJournalHeaderSize + std::bit_floor(size);
  const int fd = OpenOwn(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
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
  // The first touch of a page would otherwise fill megabytes with zeros, of
  // which a short process needs a few pages. PrepareAhead fetches the others.
  madvise(at, total, MADV_RANDOM);
  LockForLife(fd);
  file_ = OwnFile(fd);
  size_ = total;
  header_ = static_cast<JournalHeader*>(at);
  is_copying_ = IsCopying(fd);
  LetRescue({static_cast<char*>(at), total, file_, 0, PreparePage, this});
  return true;
}

std::unique_ptr<Segment> Segment::CreateAnonymous() {
  std::unique_ptr<Segment> segment(new Segment);
  const size_t total = kJournalHeaderSize + (1u << 20);
  void* at = mmap(nullptr, total, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  segment->size_ = total;
  segment->header_ = static_cast<JournalHeader*>(at);
  segment->InitHeader();
  return segment;
}

void Segment::InitHeader() {
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
  Heartbeat();
  std::memcpy(header.magic, kJournalMagic, sizeof header.magic);
}

void Segment::PrepareAhead() {
#ifdef MADV_POPULATE_WRITE
  constexpr uint64_t kMax = 2u << 20;  // a second of 30,000 calls
  constexpr uint64_t kLeast = 64u << 10;
  const uint64_t head = this->head();
  if (head == prepared_at_ || path_.empty()) return;
  // Twice what has come since the last time.
  const uint64_t since = std::max(prepared_at_, header_->first.load());
  const uint64_t ahead =
      std::clamp(2 * (head - since) * kSlotSize, kLeast, kMax);
  // No short process any more: neighbouring pages may come with one fault.
  if (ahead == kMax) madvise(header_, size_, MADV_NORMAL);
  prepared_at_ = head;
  const uint64_t ring = slots_ * kSlotSize;
  const uint64_t begin = (head & (slots_ - 1)) * kSlotSize / kPage * kPage;
  const uint64_t to_end = std::min(ahead, ring - begin);
  madvise(ring_ + begin, to_end, MADV_POPULATE_WRITE);
  if (to_end < ahead) {
    madvise(ring_, std::min(ahead - to_end, ring), MADV_POPULATE_WRITE);
  }
#endif
}

// A header that is lost with the file takes nothing more, and what the drain
// has not stored is gone.
void Segment::PreparePage(void* segment, char* page, off_t offset, bool whole) {
  auto* self = static_cast<Segment*>(segment);
  self->spoiled_.store(true, std::memory_order_release);
  if (offset == 0 && !whole) {
    std::memset(page, 0, kJournalHeaderSize);
    auto* header = reinterpret_cast<JournalHeader*>(page);
    const uint64_t recycled = self->recycled_.load(std::memory_order_relaxed);
    header->version = kJournalVersion;
    header->header_size = kJournalHeaderSize;
    header->slots = self->slots_;
    header->first.store(recycled);
    header->drained.store(recycled);
    header->torn.store(1);
    header->head.store(recycled | kSealed);
  }
  if (self->wake_ != nullptr) self->wake_();
}

// Elsewhere the file has all the room it needs.
bool Segment::IsShortOfRoom() const {
  constexpr uint64_t kLeast = 64u << 20;  // of the file system
  struct statfs system {};
  if (!is_copying_ || !file_.IsIntact() || fstatfs(file_.fd(), &system) != 0) {
    return false;
  }
  return system.f_bavail * static_cast<uint64_t>(system.f_bsize) <
         kLeast + size_;
}

// The host has closed our descriptor, and the lock is gone with it.
void Segment::KeepLocked() {
  if (path_.empty() || file_.IsIntact()) return;
  const OwnFile again(OpenOwn(path_.c_str(), O_RDWR, 0));
  if (again.fd() < 0) return;
  LockForLife(again.fd());
  file_ = again;
}

bool Segment::Rename(const std::string& path) {
  if (std::rename(path_.c_str(), path.c_str()) != 0) return false;
  path_ = path;
  return true;
}

void Segment::Release() {
  madvise(ring_, size_ - kJournalHeaderSize, MADV_REMOVE);
}

void Segment::Remove() {
  if (path_.empty()) return;
  unlink(path_.c_str());
}

Segment::~Segment() {
  Abandon();
}

void Segment::Abandon() {
  LeaveRescue(header_);
  if (header_ != nullptr) munmap(header_, size_);
  file_.Close();
  header_ = nullptr;
}

}  // namespace inquest::trace
