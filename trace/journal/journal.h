// SPDX-License-Identifier: Apache-2.0
// Where records wait until the drain moves them into the trace: one ring
// (segment.h), and while the drain is behind further, larger ones. Any number
// of threads append, one thread does all the rest. Used by the collector;
// finish.cc reads what a dead process left.
//
// Append is safe in a signal handler and costs no lock, system call or
// allocation. If there is no room, appending moves on to the next segment,
// which the drain has made beforehand. Where there is none, because the disk
// budget or the disk is used up, or the drain has had no time to make one,
// records wait for the drain, no longer than kWaitBudgetNs for the life of the
// process, where threads that wait at the same time count once; then they are
// dropped and counted by kind, those that are worth least first.
//
// The first segment has the given path; later ones `.2`, `.3`, … behind it,
// until those before them are drained and they take the first one's name.
// If there is no room for a file, smaller ones are tried down to 256 KiB, then
// a ring in memory, which does not survive a kill (persistent() is false). So
// it goes on, too, if a segment's file can no longer be written
// (page_rescue.h).
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "trace/journal/segment.h"

namespace inquest::trace {

// What the journal could not keep, in records.
struct JournalLosses {
  std::array<uint64_t, kDropKinds> dropped{};  // by kind
  uint64_t torn = 0;  // being written when their thread died
  uint64_t cut = 0;   // shortened to kMaxPayload
  void Add(const JournalHeader& header);
};

// The path of a process's segment, 0 the first.
std::string SegmentPath(const std::string& journal_path, uint64_t number);

class Journal {
 public:
  using Full = trace::Full;
  using Visitor = Segment::Visitor;
  using Drained = Segment::Drained;
  static constexpr size_t kDefaultSize = 4u << 20;
  static constexpr int64_t kWaitBudgetNs = 1'000'000'000;
  static constexpr uint64_t kDropped = ~uint64_t{0};

  // `size`: of the first segment; `most`: of all that exist at a time; bytes.
  static Expected<std::unique_ptr<Journal>> Create(const std::string& path,
                                                   size_t size = kDefaultSize,
                                                   size_t most = 0);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Returns the record's ticket, or kDropped.
  uint64_t Append(uint32_t kind, std::string_view payload, Full full);
  uint64_t AppendSlot(uint32_t kind, const void* payload, Full full);

  // The rest by one thread only. Drain and Recycle: see segment.h; a call of
  // Drain visits one segment, the oldest.
  Drained Drain(const Visitor& visit, uint64_t limit,
                std::chrono::nanoseconds patience = std::chrono::seconds(10));
  void Recycle(uint64_t next);
  void Rewind() { segments_.front()->Rewind(); }
  // Makes the next segment if the current one fills. Called before each batch.
  void Grow();
  // What is due four times a second: the heartbeat, the lock that tells readers
  // of a living process, pages that producers will need.
  void Housekeep();
  void MarkCleanEnd();
  // Deletes the files, when the trace has all that they held.
  void Remove();
  // In a forked child: unmaps the files; call nothing else afterwards.
  void Abandon();

  // Called by a producer that finds the ring more than a quarter full, before
  // the first Append.
  void set_wake(void (*wake)());

  uint64_t head() const { return current_.load()->head(); }
  uint64_t drained() const { return segments_.front()->drained(); }
  uint64_t backlog() const;  // slots
  uint64_t slots() const { return current_.load()->slots(); }
  uint64_t waited_ns() const { return waited_ns_.load(); }
  JournalLosses Losses() const;
  size_t size() const;  // bytes of all files
  bool persistent() const { return persistent_; }
  // The file could be used at first.
  bool is_spoiled() const { return spoiled_; }
  // Housekeep is about to leave the file.
  bool IsShortOfRoom() const;
  // If not persistent: why the file could not be used.
  const std::string& why_in_memory() const { return why_in_memory_; }
  const std::string& path() const { return path_; }

 private:
  Journal() = default;
  template <class Attempt>
  uint64_t Place(uint32_t kind, Full full, Attempt attempt);
  bool MoveOn(Segment* from);
  bool WaitForRoom();
  void ChargeWait(int64_t begin, int64_t end);
  size_t NextSize() const;
  void GoOnInMemory(Segment* from);
  void Adopt(std::unique_ptr<Segment> segment);
  bool IsFrontDone() const;
  void Retire();

  // The oldest first; the last may be prepared and not used yet.
  std::vector<std::unique_ptr<Segment>> segments_;
  // Drained and removed; kept because threads may still look at them.
  std::vector<std::unique_ptr<Segment>> retired_;
  std::atomic<Segment*> current_{nullptr};
  std::atomic<Segment*> next_{nullptr};
  std::atomic<int64_t> waited_ns_{0};
  std::atomic<int64_t> charged_until_{0};  // of the monotonic clock
  uint64_t made_ = 0;
  int64_t try_again_ns_ = 0;  // when a segment may be made after a failure
  size_t most_ = 0;
  bool persistent_ = false;
  bool spoiled_ = false;
  std::string why_in_memory_;
  std::string path_;
  void (*wake_)() = nullptr;
};

}  // namespace inquest::trace
