// SPDX-License-Identifier: Apache-2.0
// One ring of the journal, in a file of its own: any number of threads append,
// one thread drains. Used by journal.h, which has several of them in a row;
// journal_reader.h reads what a dead process left.
//
// Append costs a compare-and-swap, a copy and a store: no lock, no system call,
// no allocation, and it may be called from a signal handler. A record for which
// it has returned is in the page cache and so survives SIGKILL of the process.
// It never waits: a ring without room says so.
//
// The file is allocated beforehand (posix_fallocate), so a full disk is found
// here and not as SIGBUS in the host. That is not enough where a file system
// copies what is written again (btrfs; XFS after a `cp` that shares blocks), or
// where somebody cuts the file: see page_rescue.h.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "trace/journal/journal_format.h"
#include "trace/journal/own_file.h"

namespace inquest::trace {

// What a record is worth when there is little room: the first kinds leave a
// part of the ring to those after them. kDrop is dropped at once, the others
// wait.
enum class Full { kDrop, kWait, kKeep };

class Segment {
 public:
  static constexpr size_t kSmallestSize = 256u << 10;
  // Instead of a ticket: no room, and no room ever again.
  static constexpr uint64_t kNoRoom = ~uint64_t{1};
  static constexpr uint64_t kIsSealed = ~uint64_t{0};

  // Called with each committed record, in ticket order.
  using Visitor = std::function<void(uint64_t ticket, uint32_t kind,
                                     std::string_view payload)>;
  struct Drained {
    uint64_t next = 0;  // the first ticket not visited
    uint64_t records = 0;
    uint64_t torn = 0;
  };

  // Makes the file, which must not exist, mode 0600. `size` is in bytes; the
  // ring has the power of two below it. Null and errno otherwise. Takes records
  // only after Start.
  static std::unique_ptr<Segment> Create(const std::string& path, size_t size);
  // In memory only: does not survive a kill. Null and errno otherwise.
  static std::unique_ptr<Segment> CreateAnonymous();
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  // Returns the record's ticket, kNoRoom or kIsSealed. A payload over
  // kMaxPayload is cut and counted; this is the last line of defence, since the
  // codec already cuts texts and marks them (codec.h).
  uint64_t Append(uint32_t kind, std::string_view payload, Full full);
  // The same for a record that fills one slot.
  uint64_t AppendSlot(uint32_t kind, const void* payload, Full full);
  // Tickets begin at the ring's next lap from `after` on. Any thread; again
  // with the same number it does nothing.
  void Start(uint64_t after);
  // Nothing is appended any more; returns the end of the tickets.
  uint64_t Seal();

  // One thread only. Visits committed records, at most `limit` slots, and stops
  // at a record that is still being written; one that is not complete after
  // `patience` is given up as torn. Slots are recycled only by Recycle.
  Drained Drain(const Visitor& visit, uint64_t limit,
                std::chrono::nanoseconds patience = std::chrono::seconds(10));
  void Recycle(uint64_t next);
  // After a batch that could not be stored: the next Drain starts again after
  // the last recycled slot.
  void Rewind();
  bool IsSealedAndDrained() const;

  // Makes the next pages writable, so that producers have no page faults.
  // Called regularly by the draining thread; cheap if nothing was appended.
  // Does nothing before Linux 5.14.
  void PrepareAhead();
  // Takes the lock again that tells readers of a living process, if the host
  // has closed the descriptor that held it.
  void KeepLocked();
  void Heartbeat();
  void MarkCleanEnd();
  void Count(uint32_t kind);  // a record that is lost
  // Gives `to` the counts of what was lost.
  void HandLossesTo(Segment* to);

  // Whether a page was replaced (page_rescue.h): a kill loses what is written.
  bool is_spoiled() const { return spoiled_.load(std::memory_order_acquire); }
  // Whether that is about to happen: writing may also take seconds then.
  bool IsShortOfRoom() const;

  const JournalHeader& header() const { return *header_; }
  uint64_t head() const { return HeadOf(*header_); }
  uint64_t drained() const {
    return header_->drained.load(std::memory_order_relaxed);
  }
  uint64_t backlog() const { return head() - drained(); }
  uint64_t slots() const { return slots_; }
  size_t size() const { return size_; }  // bytes of the file
  const std::string& path() const { return path_; }

  // Gives the file another name, in the place of what is there.
  bool Rename(const std::string& path);
  // Gives back the room of the ring, once it is drained; the header stays, for
  // threads that find it sealed.
  void Release();
  void Remove();  // also deletes the file
  // Unmaps the file, as a forked child must; call nothing else afterwards.
  void Abandon();
  // Called by a producer that finds the ring more than a quarter full.
  void set_wake(void (*wake)()) { wake_ = wake; }

 private:
  Segment() = default;
  bool Map(const std::string& temporary, size_t size);
  void InitHeader();
  std::atomic<uint64_t>* WordAt(uint64_t ticket) const;
  uint64_t Reserve(uint64_t need, Full full, uint64_t* padding);
  bool GiveUp(uint64_t head, std::chrono::nanoseconds patience);
  static void PreparePage(void* segment, char* page, off_t offset, bool whole);

  JournalHeader* header_ = nullptr;
  char* ring_ = nullptr;
  uint64_t slots_ = 0;  // a power of two: no division on the hot path
  size_t size_ = 0;
  OwnFile file_;
  std::string path_;  // empty: in memory
  void (*wake_)() = nullptr;
  uint64_t stuck_ticket_ = ~uint64_t{0};
  uint64_t stuck_head_ = 0;  // the head when the drain got stuck
  std::chrono::steady_clock::time_point stuck_since_;
  uint64_t next_ = 0;  // the drain's own position
  uint64_t prepared_at_ = 0;
  bool is_copying_ = false;  // the file system, what is written again
  std::atomic<bool> spoiled_{false};
  std::atomic<uint64_t> recycled_{0};  // as in the header, which may be lost
};

}  // namespace inquest::trace
