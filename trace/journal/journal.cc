// SPDX-License-Identifier: Apache-2.0
#include "trace/journal/journal.h"

#include <time.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "trace/journal/process_clock.h"

namespace inquest::trace {
namespace {

constexpr size_t kGrowth = 4;
constexpr int64_t kTryAgainNs = 1'000'000'000;

// Whether a smaller file cannot help.
bool IsFinal(int error) {
  return error == EACCES || error == EROFS || error == ENOENT ||
         error == EEXIST || error == ENOTDIR;
}

std::unique_ptr<Segment> CreateFirst(const std::string& path, size_t size) {
  for (size_t want = std::max(size, Segment::kSmallestSize);
       want >= Segment::kSmallestSize; want /= 4) {
    std::unique_ptr<Segment> segment = Segment::Create(path, want);
    if (segment != nullptr || IsFinal(errno)) return segment;
  }
  return nullptr;
}

}  // namespace

void JournalLosses::Add(const JournalHeader& header) {
  for (uint32_t kind = 0; kind < kDropKinds; ++kind) {
    dropped[kind] += header.dropped[kind].load();
  }
  torn += header.torn.load();
  cut += header.cut.load();
}

std::string SegmentPath(const std::string& journal_path, uint64_t number) {
  return number == 0 ? journal_path
                     : journal_path + "." + std::to_string(number + 1);
}

Expected<std::unique_ptr<Journal>> Journal::Create(const std::string& path,
                                                   size_t size, size_t most) {
  std::unique_ptr<Journal> journal(new Journal);
  journal->path_ = path;
  journal->most_ = most;
  std::unique_ptr<Segment> first = CreateFirst(path, size);
  journal->persistent_ = first != nullptr;
  if (first == nullptr) {
    journal->why_in_memory_ = std::strerror(errno);
    first = Segment::CreateAnonymous();
  }
  if (first == nullptr) {
    return Internal("cannot make the journal '" + path +
                    "': " + journal->why_in_memory_);
  }
  first->Start(first->slots());
  first->Rewind();
  journal->current_.store(first.get());
  journal->Adopt(std::move(first));
  return journal;
}

void Journal::Adopt(std::unique_ptr<Segment> segment) {
  segment->set_wake(wake_);
  segment->Heartbeat();
  segments_.push_back(std::move(segment));
  ++made_;
}

void Journal::set_wake(void (*wake)()) {
  wake_ = wake;
  segments_.front()->set_wake(wake);
}

template <class Attempt>
inline uint64_t Journal::Place(uint32_t kind, Full full, Attempt attempt) {
  for (;;) {
    Segment* segment = current_.load(std::memory_order_acquire);
    const uint64_t ticket = attempt(segment);
    if (ticket < Segment::kNoRoom) [[likely]] {
      return ticket;
    }
    if (MoveOn(segment)) continue;
    if (full == Full::kDrop || !WaitForRoom()) {
      segment->Count(kind);
      return kDropped;
    }
  }
}

uint64_t Journal::Append(uint32_t kind, std::string_view payload, Full full) {
  return Place(kind, full, [=](Segment* segment) {
    return segment->Append(kind, payload, full);
  });
}

uint64_t Journal::AppendSlot(uint32_t kind, const void* payload, Full full) {
  return Place(kind, full, [=](Segment* segment) {
    return segment->AppendSlot(kind, payload, full);
  });
}

// Whether another segment has taken the place of `from`; any thread may find it
// full, and each does all of the change, since the others may have been stopped
// in the middle of it.
bool Journal::MoveOn(Segment* from) {
  Segment* next = next_.load(std::memory_order_acquire);
  if (next == nullptr || next == from) return current_.load() != from;
  next->Start(from->Seal());
  Segment* expected = from;
  current_.compare_exchange_strong(expected, next);
  next_.compare_exchange_strong(next, nullptr);
  return true;
}

// What other threads have waited in that time is not charged again.
void Journal::ChargeWait(int64_t begin, int64_t end) {
  int64_t until = charged_until_.load(std::memory_order_relaxed);
  do {
    if (until >= end) return;
  } while (!charged_until_.compare_exchange_weak(until, end,
                                                 std::memory_order_relaxed));
  waited_ns_.fetch_add(end - std::max(begin, until), std::memory_order_relaxed);
}

// Sleeps a little and charges it to the waiting budget; false when the budget
// is spent.
bool Journal::WaitForRoom() {
  if (wake_ != nullptr) wake_();
  const int64_t begin = MonotonicNs();
  if (waited_ns_.load(std::memory_order_relaxed) >= kWaitBudgetNs) return false;
  const timespec pause{0, 100'000};
  nanosleep(&pause, nullptr);
  ChargeWait(begin, MonotonicNs());
  return true;
}

// 0: no further segment.
size_t Journal::NextSize() const {
  const Segment* current = current_.load();
  const bool prepared = current != segments_.back().get();
  if (!persistent_ || prepared || made_ >= kMaxSegments) return 0;
  const size_t left = most_ > size() ? most_ - size() : 0;
  const size_t next = std::bit_floor(std::min(kGrowth * current->size(), left));
  return next < Segment::kSmallestSize ? 0 : next;
}

void Journal::GoOnInMemory(Segment* from) {
  if (next_.load() == nullptr) {
    std::unique_ptr<Segment> made = Segment::CreateAnonymous();
    if (made == nullptr) return;
    persistent_ = false;
    spoiled_ = true;
    why_in_memory_ = "its file was cut, or there is no room to write it again";
    Segment* next = made.get();
    Adopt(std::move(made));
    next_.store(next, std::memory_order_release);
  }
  MoveOn(from);
}

bool Journal::IsShortOfRoom() const {
  return current_.load()->IsShortOfRoom();
}

void Journal::Grow() {
  Segment* current = current_.load();
  if (current->is_spoiled()) return GoOnInMemory(current);
  if (current->backlog() <= current->slots() / 4) return;
  const size_t size = NextSize();
  if (size == 0 || MonotonicNs() < try_again_ns_) return;
  std::unique_ptr<Segment> made =
      Segment::Create(SegmentPath(path_, made_), size);
  if (made == nullptr) {
    try_again_ns_ = MonotonicNs() + kTryAgainNs;
    return;
  }
  Segment* next = made.get();
  Adopt(std::move(made));
  next_.store(next, std::memory_order_release);
}

Journal::Drained Journal::Drain(const Visitor& visit, uint64_t limit,
                                std::chrono::nanoseconds patience) {
  while (IsFrontDone()) Retire();  // sealed after it had been drained
  return segments_.front()->Drain(visit, limit, patience);
}

void Journal::Recycle(uint64_t next) {
  segments_.front()->Recycle(next);
  if (IsFrontDone()) Retire();
}

// The thread that sealed it may not have started the next one yet.
bool Journal::IsFrontDone() const {
  return segments_.size() > 1 && segments_.front()->IsSealedAndDrained() &&
         segments_[1]->head() != 0;
}

// The next one takes the name, so that it is found where the first one was.
void Journal::Retire() {
  std::unique_ptr<Segment> old = std::move(segments_.front());
  segments_.erase(segments_.begin());
  Segment* following = segments_.front().get();
  old->HandLossesTo(following);
  following->Rewind();
  // Its file is replaced; the mapping stays.
  if (!following->Rename(path_)) old->Remove();
  old->Release();
  retired_.push_back(std::move(old));
}

void Journal::Housekeep() {
  Segment* current = current_.load();
  if (current->is_spoiled() || current->IsShortOfRoom()) GoOnInMemory(current);
  for (const auto& segment : segments_) {
    segment->Heartbeat();
    segment->KeepLocked();
  }
  current_.load()->PrepareAhead();
}

void Journal::MarkCleanEnd() {
  for (const auto& segment : segments_) segment->MarkCleanEnd();
}

// The first at last: it is where readers look.
void Journal::Remove() {
  for (auto at = segments_.rbegin(); at != segments_.rend(); ++at) {
    (*at)->Remove();
  }
}

void Journal::Abandon() {
  for (const auto& segment : segments_) segment->Abandon();
  for (const auto& segment : retired_) segment->Abandon();
}

uint64_t Journal::backlog() const {
  uint64_t slots = 0;
  for (const auto& segment : segments_) slots += segment->backlog();
  return slots;
}

JournalLosses Journal::Losses() const {
  JournalLosses losses;
  for (const auto& segment : segments_) losses.Add(segment->header());
  for (const auto& segment : retired_) losses.Add(segment->header());
  return losses;
}

size_t Journal::size() const {
  size_t bytes = 0;
  for (const auto& segment : segments_) bytes += segment->size();
  return bytes;
}

}  // namespace inquest::trace
