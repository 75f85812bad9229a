// SPDX-License-Identifier: Apache-2.0
#include "trace/journal/segment.h"

#include <algorithm>
#include <cstring>

#include "trace/journal/process_clock.h"

namespace inquest::trace {

std::atomic<uint64_t>* Segment::WordAt(uint64_t ticket) const {
  return reinterpret_cast<std::atomic<uint64_t>*>(
      ring_ + (ticket & (slots_ - 1)) * kSlotSize);
}

void Segment::Count(uint32_t kind) {
  header_->dropped[std::min<uint32_t>(kind, kDropKinds - 1)].fetch_add(
      1, std::memory_order_relaxed);
}

void Segment::HandLossesTo(Segment* to) {
  for (uint32_t kind = 0; kind < kDropKinds; ++kind) {
    to->header_->dropped[kind].fetch_add(header_->dropped[kind].exchange(0));
  }
  to->header_->torn.fetch_add(header_->torn.exchange(0));
  to->header_->cut.fetch_add(header_->cut.exchange(0));
}

namespace {

// What a record of this worth leaves free for those that are worth more.
uint64_t Left(uint64_t slots, Full full) {
  switch (full) {
    case Full::kDrop:
      return slots / 8;
    case Full::kWait:
      return slots / 32;
    case Full::kKeep:
      break;
  }
  return 0;
}

}  // namespace

// The first slot, kNoRoom or kIsSealed.
inline uint64_t Segment::Reserve(uint64_t need, Full full, uint64_t* padding) {
  const uint64_t usable = slots_ - Left(slots_, full);
  uint64_t head = header_->head.load(std::memory_order_relaxed);
  for (;;) {
    if ((head & kSealed) != 0) return kIsSealed;
    const uint64_t to_end = slots_ - (head & (slots_ - 1));
    *padding = need > to_end ? to_end : 0;
    const uint64_t take = need + *padding;
    const uint64_t drained = header_->drained.load(std::memory_order_acquire);
    if (head + take - drained > usable) return kNoRoom;
    if (header_->head.compare_exchange_weak(head, head + take,
                                            std::memory_order_acq_rel,
                                            std::memory_order_relaxed)) {
      if (wake_ != nullptr && head - drained > slots_ / 4) wake_();
      return head;
    }
  }
}

// The head at last: a reader that finds one finds the rest.
void Segment::Start(uint64_t after) {
  const uint64_t first = (after + slots_ - 1) / slots_ * slots_;
  uint64_t unset = 0;
  header_->first.store(first);
  header_->drained.compare_exchange_strong(unset, first);
  unset = 0;
  header_->head.compare_exchange_strong(unset, first);
}

uint64_t Segment::Seal() {
  return header_->head.fetch_or(kSealed, std::memory_order_acq_rel) & ~kSealed;
}

bool Segment::IsSealedAndDrained() const {
  return (header_->head.load(std::memory_order_acquire) & kSealed) != 0 &&
         backlog() == 0;
}

uint64_t Segment::AppendSlot(uint32_t kind, const void* payload, Full full) {
  constexpr size_t kBytes = kSlotSize - kCommitSize;
  uint64_t padding = 0;  // one slot always fits
  const uint64_t ticket = Reserve(1, full, &padding);
  if (ticket >= kNoRoom) return ticket;
  std::atomic<uint64_t>* word = WordAt(ticket);
  word->store(CommitWord(ticket, kBytes, kReservedKind),
              std::memory_order_release);
  std::memcpy(reinterpret_cast<char*>(word) + kCommitSize, payload, kBytes);
  word->store(CommitWord(ticket, kBytes, kind), std::memory_order_release);
  return ticket;
}

uint64_t Segment::Append(uint32_t kind, std::string_view payload, Full full) {
  if (payload.size() > kMaxPayload) {
    payload = payload.substr(0, kMaxPayload);
    header_->cut.fetch_add(1, std::memory_order_relaxed);
  }
  uint64_t padding = 0;
  uint64_t first = Reserve(SlotsFor(payload.size()), full, &padding);
  if (first >= kNoRoom) return first;
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
bool Segment::GiveUp(uint64_t head, std::chrono::nanoseconds patience) {
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

Segment::Drained Segment::Drain(const Visitor& visit, uint64_t limit,
                                std::chrono::nanoseconds patience) {
  Drained result;
  const uint64_t head = this->head();
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

void Segment::Recycle(uint64_t next) {
  recycled_.store(next, std::memory_order_relaxed);
  header_->drained.store(next, std::memory_order_release);
}

void Segment::Rewind() {
  next_ = header_->drained.load(std::memory_order_relaxed);
}

void Segment::Heartbeat() {
  header_->heartbeat_ns.store(MonotonicNs(), std::memory_order_relaxed);
  header_->heartbeat_realtime_ns.store(RealtimeNs(), std::memory_order_relaxed);
}

void Segment::MarkCleanEnd() {
  Heartbeat();
  header_->clean_end.store(1, std::memory_order_release);
}

}  // namespace inquest::trace
