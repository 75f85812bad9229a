// SPDX-License-Identifier: Apache-2.0
#include "trace/journal/journal.h"

#include <time.h>

#include <algorithm>
#include <cstring>

#include "trace/journal/process_clock.h"

namespace inquest::trace {

std::atomic<uint64_t>* Journal::WordAt(uint64_t ticket) const {
  return reinterpret_cast<std::atomic<uint64_t>*>(
      ring_ + (ticket & (slots_ - 1)) * kSlotSize);
}

void Journal::Count(uint32_t kind) {
  header_->dropped[std::min<uint32_t>(kind, kDropKinds - 1)].fetch_add(
      1, std::memory_order_relaxed);
}

// Sleeps a little and charges it to the waiting budget of all threads; false
// when the budget is spent.
bool Journal::WaitForRoom() {
  if (wake_ != nullptr) wake_();
  const int64_t begin = MonotonicNs();
  if (static_cast<int64_t>(header_->waited_ns.load(
          std::memory_order_relaxed)) >= kWaitBudgetNs) {
    return false;
  }
  const timespec pause{0, 100'000};
  nanosleep(&pause, nullptr);
  header_->waited_ns.fetch_add(MonotonicNs() - begin,
                               std::memory_order_relaxed);
  return true;
}

inline bool Journal::Reserve(uint64_t need, Full full, uint64_t* first,
                             uint64_t* padding) {
  uint64_t head = header_->head.load(std::memory_order_relaxed);
  for (;;) {
    const uint64_t to_end = slots_ - (head & (slots_ - 1));
    *padding = need > to_end ? to_end : 0;
    const uint64_t take = need + *padding;
    const uint64_t drained = header_->drained.load(std::memory_order_acquire);
    if (head + take - drained > slots_) {
      if (full == Full::kDrop || !WaitForRoom()) return false;
      head = header_->head.load(std::memory_order_relaxed);
      continue;
    }
    if (header_->head.compare_exchange_weak(head, head + take,
                                            std::memory_order_acq_rel,
                                            std::memory_order_relaxed)) {
      *first = head;
      if (wake_ != nullptr && head - drained > slots_ / 2) wake_();
      return true;
    }
  }
}

uint64_t Journal::AppendSlot(uint32_t kind, const void* payload, Full full) {
  constexpr size_t kBytes = kSlotSize - kCommitSize;
  uint64_t ticket = 0;
  uint64_t padding = 0;  // one slot always fits
  if (!Reserve(1, full, &ticket, &padding)) {
    Count(kind);
    return kDropped;
  }
  std::atomic<uint64_t>* word = WordAt(ticket);
  word->store(CommitWord(ticket, kBytes, kReservedKind),
              std::memory_order_release);
  std::memcpy(reinterpret_cast<char*>(word) + kCommitSize, payload, kBytes);
  word->store(CommitWord(ticket, kBytes, kind), std::memory_order_release);
  return ticket;
}

uint64_t Journal::Append(uint32_t kind, std::string_view payload, Full full) {
  if (payload.size() > kMaxPayload) {
    payload = payload.substr(0, kMaxPayload);
    header_->cut.fetch_add(1, std::memory_order_relaxed);
  }
  uint64_t first = 0;
  uint64_t padding = 0;
  if (!Reserve(SlotsFor(payload.size()), full, &first, &padding)) {
    Count(kind);
    return kDropped;
  }
  if (padding > 0) {
    WordAt(first)->store(
        CommitWord(first, padding * kSlotSize - kCommitSize, kPaddingKind),
        std::memory_order_release);
    first += padding;
  }
  std::atomic<uint64_t>* word = WordAt(first);
  word->store(CommitWord(first, payload.size(), kReservedKind),
              std::memory_order_release);
  std::memcpy(reinterpret_cast<char*>(word) + kCommitSize, payload.data(),
              payload.size());
  word->store(CommitWord(first, payload.size(), kind),
              std::memory_order_release);
  return first;
}

// A thread is between reservation and commit: for some nanoseconds, unless it
// was stopped or jumped out of a signal handler right there. True when the
// slots missing at next_ were reserved long enough ago to be given up.
bool Journal::GiveUp(uint64_t head, std::chrono::nanoseconds patience) {
  if (next_ < stuck_head_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (stuck_ticket_ != next_) {
    stuck_ticket_ = next_;
    stuck_since_ = now;
  }
  if (now - stuck_since_ < patience) return false;
  stuck_head_ = head;
  return true;
}

Journal::Drained Journal::Drain(const Visitor& visit, uint64_t limit,
                                std::chrono::nanoseconds patience) {
  Drained result;
  const uint64_t head = header_->head.load(std::memory_order_acquire);
  const uint64_t begin = next_;
  bool in_gap = false;
  while (next_ < head && next_ - begin < limit) {
    const uint64_t word = WordAt(next_)->load(std::memory_order_acquire);
    const bool ours = IsWordOf(word, next_, slots_, head);
    if (ours && KindOf(word) != kReservedKind) {
      if (KindOf(word) != kPaddingKind) {
        visit(next_, KindOf(word),
              {reinterpret_cast<char*>(WordAt(next_)) + kCommitSize,
               BytesOf(word)});
        ++result.records;
      }
    } else {
      if (!GiveUp(head, patience)) break;
      if (ours || !in_gap) ++result.torn;
    }
    in_gap = !ours;
    next_ += ours ? SlotsFor(BytesOf(word)) : 1;
  }
  header_->torn.fetch_add(result.torn, std::memory_order_relaxed);
  result.next = next_;
  return result;
}

void Journal::Recycle(uint64_t next) {
  header_->drained.store(next, std::memory_order_release);
}

void Journal::Rewind() {
  next_ = header_->drained.load(std::memory_order_relaxed);
}

void Journal::Heartbeat() {
  header_->heartbeat_ns.store(MonotonicNs(), std::memory_order_relaxed);
  header_->heartbeat_realtime_ns.store(RealtimeNs(), std::memory_order_relaxed);
}

void Journal::MarkCleanEnd() {
  Heartbeat();
  header_->clean_end.store(1, std::memory_order_release);
}

uint64_t Journal::backlog() const {
  return header_->head.load(std::memory_order_relaxed) -
         header_->drained.load(std::memory_order_relaxed);
}

}  // namespace inquest::trace
