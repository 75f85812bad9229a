#include "analyzer/memory/refusals/refusal_reason.h"

#include <algorithm>

namespace inquest::memory {
namespace {

// Below it a look at what is free may well have come too late.
constexpr int64_t kClearlyRoom = 32 << 20;
constexpr double kMuch = 0.2;  // of the device

Reason ReasonFor(const RoomAtRefusal& room) {
  const int64_t free = room.free.value_or(room.unused);
  const int64_t missing = room.requested - free;
  if (room.of_pool && room.free && missing <= -kClearlyRoom) {
    return Reason::kLimit;
  }
  if (room.leaked > 0 && room.leaked >= room.requested - room.unused) {
    return Reason::kLeak;
  }
  const int64_t others = room.others.value_or(0);
  const auto size = static_cast<double>(room.total.value_or(0));
  if (missing > 0 && others >= missing &&
      static_cast<double>(others) >= kMuch * size) {
    return Reason::kOtherProcess;
  }
  if (!room.of_pool && missing > 0 && room.idle_in_pool >= missing) {
    return Reason::kPoolReserve;
  }
  return room.unused >= room.requested && room.largest < room.requested
             ? Reason::kFragmentation
             : Reason::kCapacity;
}

int64_t MissingFor(Reason reason, const RoomAtRefusal& room) {
  if (reason == Reason::kOtherProcess || reason == Reason::kPoolReserve) {
    return room.requested - room.free.value_or(room.unused);
  }
  const int64_t in_all = room.requested - room.unused;
  return in_all > 0 ? in_all : room.requested - room.largest;
}

// A stretch of neighbouring spans, grown at its end and cut at its beginning.
struct Stretch {
  size_t begin = 0;
  int64_t bytes = 0;
  int64_t live = 0;
  int64_t blocks = 0;

  void Grow(const HeapSpan& span) { Count(span, 1); }
  void Cut(const HeapSpan& span) {
    Count(span, -1);
    ++begin;
  }

 private:
  void Count(const HeapSpan& span, int sign) {
    bytes += sign * span.bytes;
    live += span.live ? sign * span.bytes : 0;
    blocks += span.live ? sign : 0;
  }
};

bool Cheaper(const Stretch& a, const Stretch& b) {
  return a.live != b.live ? a.live < b.live : a.blocks < b.blocks;
}

}  // namespace

std::string_view Word(Reason reason) {
  switch (reason) {
    case Reason::kCapacity:
      return "capacity";
    case Reason::kFragmentation:
      return "fragmentation";
    case Reason::kOtherProcess:
      return "other-process";
    case Reason::kPoolReserve:
      return "pool-reserve";
    case Reason::kLimit:
      return "limit";
    case Reason::kLeak:
      return "leak";
  }
  return "capacity";
}

Hindrance FindHindrance(const RoomAtRefusal& room) {
  Hindrance found;
  found.reason = ReasonFor(room);
  const int64_t missing = MissingFor(found.reason, room);
  if (found.reason != Reason::kLimit && missing > 0) found.missing = missing;
  if (room.unused > 0) {
    found.fragmentation = 1 - static_cast<double>(room.largest) /
                                  static_cast<double>(room.unused);
  }
  return found;
}

std::vector<HeapSpan> BlocksInTheWay(const std::vector<HeapSpan>& heap,
                                     int64_t requested) {
  Stretch now;
  std::optional<std::pair<Stretch, size_t>> best;  // with its end
  for (size_t i = 0; i < heap.size(); ++i) {
    const bool goes_on =
        i > 0 &&
        heap[i - 1].address + static_cast<uint64_t>(heap[i - 1].bytes) ==
            heap[i].address;
    if (!goes_on) now = Stretch{i};
    now.Grow(heap[i]);
    while (now.bytes - heap[now.begin].bytes >= requested) {
      now.Cut(heap[now.begin]);
    }
    if (now.bytes < requested) continue;
    if (!best || Cheaper(now, best->first)) best = {now, i + 1};
  }
  std::vector<HeapSpan> blocks;
  if (!best) return blocks;
  for (size_t i = best->first.begin; i < best->second; ++i) {
    if (heap[i].live) blocks.push_back(heap[i]);
  }
  return blocks;
}

}  // namespace inquest::memory
