// SPDX-License-Identifier: Apache-2.0
// The layout of a segment of the journal on disk: one page of header, then a
// ring of 64-byte slots. Shared by the process that records (journal.h) and by
// readers of what it left (journal_reader.h). Plain data only. All numbers are
// those of a little-endian 64-bit machine; times are nanoseconds of
// CLOCK_MONOTONIC.
//
// A ticket counts slots since the journal began and never wraps; its slot is
// `ticket % slots`. A record takes one or more slots in a row. Its first word,
// written last, is the commit word
//
//     ticket (low 32 bits) << 32 | payload bytes (20 bits) << 12 | kind
//
// so that a word left by an earlier lap never looks like this lap's record.
// Between the reservation and the commit the word has kReservedKind, which
// tells a reader how far to skip if the writer died in between.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace inquest::trace {

inline constexpr char kJournalMagic[8] = {'I', 'N', 'Q', 'J', 'R', 'N', 'L', 1};
inline constexpr uint32_t kJournalVersion = 2;  // 2: several segments
inline constexpr size_t kJournalHeaderSize = 4096;
inline constexpr size_t kSlotSize = 64;
inline constexpr size_t kCommitSize = sizeof(uint64_t);
inline constexpr size_t kMaxPayload = 4096;
inline constexpr size_t kMaxRecordSlots =
    (kMaxPayload + kCommitSize + kSlotSize - 1) / kSlotSize;
inline constexpr uint64_t kMinSlots = 4 * kMaxRecordSlots;
inline constexpr uint64_t kMaxSlots = uint64_t{1} << 22;  // 256 MiB
inline constexpr size_t kDropKinds = 64;  // counters of lost records, by kind

// Kinds that only the ring knows; record_kinds.h has the others, from 2 on.
inline constexpr uint32_t kPaddingKind = 1;
inline constexpr uint32_t kReservedKind = 0xfff;

// A sealed segment takes no more records: its head has this bit.
inline constexpr uint64_t kSealed = uint64_t{1} << 63;

inline constexpr uint64_t kMaxSegments = 8;  // in the life of a process

inline constexpr uint64_t CommitWord(uint64_t ticket, size_t bytes,
                                     uint32_t kind) {
  return ticket << 32 | (bytes & 0xfffff) << 12 | (kind & 0xfff);
}
inline constexpr uint32_t TicketOf(uint64_t word) {
  return static_cast<uint32_t>(word >> 32);
}
inline constexpr size_t BytesOf(uint64_t word) {
  return word >> 12 & 0xfffff;
}
inline constexpr uint32_t KindOf(uint64_t word) {
  return word & 0xfff;
}
inline constexpr uint64_t SlotsFor(size_t payload) {
  return (payload + kCommitSize + kSlotSize - 1) / kSlotSize;
}

// Whether the word at `ticket` can be that of a record or a reservation: its
// lap is right, and its slots are within the ring and before `head`.
inline constexpr bool IsWordOf(uint64_t word, uint64_t ticket, uint64_t slots,
                               uint64_t head) {
  const uint64_t take = SlotsFor(BytesOf(word));
  const bool padding = KindOf(word) == kPaddingKind;
  return TicketOf(word) == static_cast<uint32_t>(ticket) && KindOf(word) != 0 &&
         (padding || BytesOf(word) <= kMaxPayload) &&
         ticket % slots + take <= slots && ticket + take <= head;
}

// Who writes, since when, and how far it got. The atomics live in the file, so
// their values survive the process; each hot one has a cache line.
struct JournalHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_size;
  uint64_t slots;
  int64_t pid;
  uint64_t process_start;  // field 22 of /proc/PID/stat, clock ticks
  uint64_t pid_namespace;  // inode of /proc/self/ns/pid, 0 unknown
  uint64_t boot;           // hash of the kernel's boot id, 0 unknown
  int64_t start_ns;
  int64_t start_realtime_ns;
  std::atomic<uint64_t> first;  // ticket of this segment; 0: that is `slots`
  alignas(64) std::atomic<uint64_t> head;     // next ticket; kSealed; 0 unused
  alignas(64) std::atomic<uint64_t> drained;  // all tickets below are stored
  alignas(64) std::atomic<int64_t> heartbeat_ns;
  std::atomic<int64_t> heartbeat_realtime_ns;
  std::atomic<uint64_t> clean_end;  // 1: nothing more follows
  std::atomic<uint64_t> torn;       // skipped while the process lived
  std::atomic<uint64_t> unused;     // of version 1
  std::atomic<uint64_t> cut;        // records shortened to kMaxPayload
  alignas(64) std::atomic<uint64_t> dropped[kDropKinds];
};
inline uint64_t FirstOf(const JournalHeader& header) {
  const uint64_t first = header.first.load();
  return first != 0 ? first : header.slots;
}
inline uint64_t HeadOf(const JournalHeader& header) {
  return header.head.load(std::memory_order_acquire) & ~kSealed;
}
static_assert(sizeof(JournalHeader) <= kJournalHeaderSize);
static_assert(sizeof(std::atomic<uint64_t>) == sizeof(uint64_t));
static_assert(std::atomic<uint64_t>::is_always_lock_free);

}  // namespace inquest::trace
