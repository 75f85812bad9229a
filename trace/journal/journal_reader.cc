// SPDX-License-Identifier: Apache-2.0
#include "trace/journal/journal_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "trace/journal/process_clock.h"

namespace inquest::trace {
namespace {

constexpr int64_t kFreshNs = 60'000'000'000;

class FileDescriptor {
 public:
  explicit FileDescriptor(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// Reads as many bytes as there are, up to `size`; -1 if reading fails.
ssize_t ReadAt(int fd, char* to, size_t size, off_t offset) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got =
        pread(fd, to + done, size - done, offset + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

// Held by the recording process for its life, see journal_file.cc.
bool IsLocked(int fd) {
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace

Expected<JournalReader> JournalReader::Open(const std::string& path) {
  JournalReader reader;
  reader.path_ = path;
  FileDescriptor file(path);
  struct stat info {};
  if (file.get() < 0 || fstat(file.get(), &info) != 0) {
    return Unreadable("cannot open the journal '" + path +
                      "': " + std::strerror(errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return Unreadable("'" + path + "' is not a file");
  }
  const auto size = static_cast<uint64_t>(info.st_size);
  RETURN_IF_ERROR(reader.ReadHeader(file.get(), size));
  RETURN_IF_ERROR(reader.ReadRing(file.get(), size));
  reader.locked_ = IsLocked(file.get());
  return reader;
}

Status JournalReader::ReadHeader(int fd, uint64_t size) {
  const std::string name = "the journal '" + path_ + "'";
  if (size == 0) return Unreadable(name + " is empty");
  page_ = std::make_unique<Page>();
  const ssize_t got =
      ReadAt(fd, reinterpret_cast<char*>(page_->bytes), sizeof page_->bytes, 0);
  if (got < 0) {
    return Unreadable("cannot read " + name + ": " + std::strerror(errno));
  }
  const JournalHeader& head = header();
  if (static_cast<size_t>(got) < sizeof head.magic ||
      std::memcmp(head.magic, kJournalMagic, sizeof head.magic) != 0) {
    return Unreadable("'" + path_ + "' is not a journal of inquest");
  }
  if (head.version > kJournalVersion) {
    return Unreadable(name + " has format " + std::to_string(head.version) +
                      ", this program reads up to " +
                      std::to_string(kJournalVersion))
        .WithHint("Use the inquest that recorded it, or a newer one.");
  }
  if (static_cast<size_t>(got) < sizeof page_->bytes) {
    return Unreadable(name + " is cut off after " + std::to_string(got) +
                      " bytes, inside its header");
  }
  if (head.version == 0 || head.header_size != kJournalHeaderSize ||
      head.slots < kMinSlots || head.slots > kMaxSlots ||
      head.head.load() < head.drained.load() || head.drained.load() == 0) {
    return Unreadable(name + " has a damaged header");
  }
  return Status::Ok();
}

Status JournalReader::ReadRing(int fd, uint64_t size) {
  const uint64_t claimed = header().slots * kSlotSize;
  const uint64_t there =
      size > kJournalHeaderSize ? size - kJournalHeaderSize : 0;
  ring_.resize(std::min(claimed, there));
  const ssize_t got =
      ReadAt(fd, ring_.data(), ring_.size(), kJournalHeaderSize);
  if (got < 0) {
    return Unreadable("cannot read the journal '" + path_ +
                      "': " + std::strerror(errno));
  }
  ring_.resize(static_cast<size_t>(got));
  return Status::Ok();
}

uint64_t JournalReader::WordAt(uint64_t ticket) const {
  const uint64_t offset = ticket % header().slots * kSlotSize;
  uint64_t word = 0;
  if (offset + kSlotSize <= ring_.size()) {
    std::memcpy(&word, ring_.data() + offset, sizeof word);
  }
  return word;
}

JournalReader::Recovered JournalReader::Recover(
    uint64_t from, const Journal::Visitor& visit) const {
  const uint64_t slots = header().slots;
  const uint64_t head = header().head.load();
  Recovered result;
  // Tickets begin at `slots`; records more than a lap back are overwritten.
  uint64_t at = std::max({from, slots, head > slots ? head - slots : 0});
  bool in_gap = false;
  while (at < head) {
    const uint64_t word = WordAt(at);
    const uint64_t offset = at % slots * kSlotSize + kCommitSize;
    const bool ours = IsWordOf(word, at, slots, head) &&
                      (KindOf(word) == kPaddingKind ||
                       offset + BytesOf(word) <= ring_.size());
    if (ours && KindOf(word) != kReservedKind) {
      if (KindOf(word) != kPaddingKind) {
        visit(at, KindOf(word), {ring_.data() + offset, BytesOf(word)});
        ++result.records;
      }
    } else if (ours || !in_gap) {
      ++result.torn;
    }
    in_gap = !ours;
    at += ours ? SlotsFor(BytesOf(word)) : 1;
  }
  result.next = std::max(at, from);
  return result;
}

bool JournalReader::ProcessAlive() const {
  const JournalHeader& head = header();
  if (head.boot == 0 || head.boot != BootHash()) {
    const int64_t age = RealtimeNs() - head.heartbeat_realtime_ns.load();
    return head.clean_end.load() == 0 && age >= 0 && age < kFreshNs;
  }
  if (head.pid_namespace != PidNamespace()) return locked_;
  return head.process_start != 0 &&
         ProcessStart(head.pid) == head.process_start;
}

}  // namespace inquest::trace
