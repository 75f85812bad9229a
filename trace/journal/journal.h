// SPDX-License-Identifier: Apache-2.0
// The hot end of the journal: any number of threads append, one thread drains.
// Used by the collector; journal_reader.h reads what a dead process left.
//
// Append costs a compare-and-swap, a copy and a store: no lock, no system call,
// no allocation, and it may be called from a signal handler. A record for which
// it has returned is in the page cache and so survives SIGKILL of the process.
// When the ring is full, records marked kWait wait for the drain, in all
// threads together no longer than kWaitBudget for the life of the process; then
// they are dropped and counted by kind in the header. Others are dropped at
// once.
//
// The file is allocated beforehand (posix_fallocate), so a full disk is found
// here and not as SIGBUS in the host. If there is no room for it, smaller rings
// are tried down to 256 KiB. If none can be mapped, an anonymous ring is used,
// which does not survive a kill (persistent() is false). Only truncating the
// file from outside could hurt the host.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "trace/journal/journal_format.h"

namespace inquest::trace {

class Journal {
 public:
  enum class Full { kWait, kDrop };
  static constexpr size_t kDefaultSize = 16u << 20;
  static constexpr size_t kSmallestSize = 256u << 10;
  static constexpr int64_t kWaitBudgetNs = 1'000'000'000;
  static constexpr uint64_t kDropped = ~uint64_t{0};

  // Called with each committed record, in ticket order.
  using Visitor = std::function<void(uint64_t ticket, uint32_t kind,
                                     std::string_view payload)>;
  struct Drained {
    uint64_t next = 0;  // the first ticket not visited
    uint64_t records = 0;
    uint64_t torn = 0;
  };

  // Makes the file, which must not exist, mode 0600. `size` is in bytes; the
  // ring has the power of two below it.
  static Expected<std::unique_ptr<Journal>> Create(const std::string& path,
                                                   size_t size = kDefaultSize);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Returns the record's ticket, or kDropped. A payload over kMaxPayload is cut
  // and counted; this is the last line of defence, since the codec already cuts
  // texts and marks them (codec.h).
  uint64_t Append(uint32_t kind, std::string_view payload, Full full);
  // The same for a record that fills one slot.
  uint64_t AppendSlot(uint32_t kind, const void* payload, Full full);

  // One thread only. Visits committed records, at most `limit` slots, and stops
  // at a record that is still being written; one that is not complete after
  // `patience` is given up as torn. Slots are recycled only by Recycle.
  Drained Drain(const Visitor& visit, uint64_t limit,
                std::chrono::nanoseconds patience = std::chrono::seconds(10));
  void Recycle(uint64_t next);
  // After a batch that could not be stored: the next Drain starts again after
  // the last recycled slot.
  void Rewind();
  // Makes the next pages writable, so that producers have no page faults.
  // Called regularly by the draining thread; cheap if nothing was appended.
  // Does nothing before Linux 5.14.
  void PrepareAhead();

  // Called by a producer that finds the ring more than half full.
  void set_wake(void (*wake)()) { wake_ = wake; }
  void Heartbeat();
  void MarkCleanEnd();
  // Counts a loss that did not come from Append.
  void CountDrop(uint32_t kind) { Count(kind); }

  const JournalHeader& header() const { return *header_; }
  bool persistent() const { return persistent_; }
  // If not persistent: why the file could not be used.
  const std::string& why_in_memory() const { return why_in_memory_; }
  size_t size() const { return size_; }
  const std::string& path() const { return path_; }
  uint64_t backlog() const;
  // Unmaps the file, as a forked child must; call nothing else afterwards.
  void Abandon();

 private:
  Journal() = default;
  bool Map(const std::string& temporary, size_t size);
  bool MapAnonymous();
  void InitHeader();
  std::atomic<uint64_t>* WordAt(uint64_t ticket) const;
  bool Reserve(uint64_t need, Full full, uint64_t* first, uint64_t* padding);
  bool WaitForRoom();
  void Count(uint32_t kind);
  bool GiveUp(uint64_t head, std::chrono::nanoseconds patience);

  JournalHeader* header_ = nullptr;
  char* ring_ = nullptr;
  uint64_t slots_ = 0;  // a power of two: no division on the hot path
  size_t size_ = 0;
  int fd_ = -1;
  bool persistent_ = false;
  std::string why_in_memory_;
  std::string path_;
  void (*wake_)() = nullptr;
  uint64_t stuck_ticket_ = ~uint64_t{0};
  uint64_t stuck_head_ = 0;  // the head when the drain got stuck
  std::chrono::steady_clock::time_point stuck_since_;
  uint64_t next_ = 0;  // the drain's own position
  uint64_t prepared_at_ = 0;
};

}  // namespace inquest::trace
