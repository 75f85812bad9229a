// SPDX-License-Identifier: Apache-2.0
#include "trace/journal/journal_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/input_file.h"
#include "trace/journal/process_clock.h"

namespace inquest::trace {
namespace {

constexpr int64_t kFreshNs = 60'000'000'000;

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

// Held by the recording process for its life, see segment_file.cc.
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
  ASSIGN_OR_RETURN(InputFile file,
                   InputFile::Open("the journal", path, Links::kRefuse));
  const auto size = static_cast<uint64_t>(file.facts().st_size);
  RETURN_IF_ERROR(reader.ReadHeader(file.fd(), size));
  reader.locked_ = IsLocked(file.fd());
  reader.ring_ = std::make_unique<RingFile>(std::move(file));
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
      HeadOf(head) < head.drained.load() ||
      (HeadOf(head) > 0 && head.drained.load() < FirstOf(head))) {
    return Unreadable(name + " has a damaged header");
  }
  return Status::Ok();
}

// Zero, which is no record, where the file has no whole slot.
uint64_t JournalReader::WordAt(uint64_t offset) {
  const std::string_view slot = ring_->At(offset, kSlotSize);
  uint64_t word = 0;
  if (slot.size() == kSlotSize) std::memcpy(&word, slot.data(), sizeof word);
  return word;
}

JournalReader::Recovered JournalReader::Recover(uint64_t from,
                                                const Segment::Visitor& visit) {
  const uint64_t slots = header().slots;
  const uint64_t head = HeadOf(header());
  Recovered result;
  // Records more than a lap back are overwritten.
  uint64_t at =
      std::max({from, FirstOf(header()), head > slots ? head - slots : 0});
  bool in_gap = false;
  while (at < head) {
    const uint64_t offset = at % slots * kSlotSize;
    const uint64_t word = WordAt(offset);
    const bool padding = KindOf(word) == kPaddingKind;
    bool ours = IsWordOf(word, at, slots, head);
    std::string_view payload;
    if (ours && !padding) {
      payload = ring_->At(offset + kCommitSize, BytesOf(word));
      ours = payload.size() == BytesOf(word);
    }
    if (ours && KindOf(word) != kReservedKind) {
      if (!padding) {
        visit(at, KindOf(word), payload);
        ++result.records;
      }
    } else if (ours || !in_gap) {
      ++result.torn;
    }
    in_gap = !ours;
    at += ours ? SlotsFor(BytesOf(word)) : 1;
  }
  result.next = std::max(at, from);
  result.error = ring_->error();
  return result;
}

JournalReader::Life JournalReader::ProcessLife() const {
  const JournalHeader& head = header();
  if (head.boot == 0 || head.boot != BootHash()) return Life::kUnknown;
  if (head.pid_namespace != PidNamespace()) {
    return locked_ ? Life::kAlive : Life::kUnknown;
  }
  const bool exists =
      head.process_start != 0 && ProcessStart(head.pid) == head.process_start;
  if (exists) return Life::kAlive;
  // A lock without its process: machines that went on from one snapshot have
  // the same boot id, and a shared file system tells each other's locks.
  return locked_ ? Life::kUnknown : Life::kDead;
}

bool JournalReader::LivedAMomentAgo() const {
  const JournalHeader& head = header();
  int64_t age = 0;
  if (head.clean_end.load() != 0 ||
      __builtin_sub_overflow(RealtimeNs(), head.heartbeat_realtime_ns.load(),
                             &age)) {
    return false;
  }
  return age > -kFreshNs && age < kFreshNs;
}

}  // namespace inquest::trace
