// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/refusals/refusal_reason.h"

#include <algorithm>

namespace inquest::memory {
namespace {

// Free beyond the request. With less, memory may have become free between the
// refusal and the sample. rules/traces/allocator.yaml has the same margin for
// framework_oom, which has no replay.
constexpr int64_t kClearlyFree = 32 << 20;
// Shares of the device. A heap with less free is full, not fragmented: what is
// left of any full heap lies in small pieces (trace.oom.full).
constexpr double kMuchOfDevice = 0.2;
constexpr double kNearlyFull = 0.1;

Reason ReasonFor(const HeapAtRefusal& heap) {
  const int64_t free = heap.free.value_or(heap.unused);
  const int64_t missing = heap.requested - free;
  if (heap.of_pool && heap.free && missing <= -kClearlyFree) {
    return Reason::kLimit;
  }
  if (heap.leaked > 0 && heap.leaked >= heap.requested - heap.unused) {
    return Reason::kLeak;
  }
  const int64_t others = heap.others.value_or(0);
  const auto size = static_cast<double>(heap.total.value_or(0));
  if (missing > 0 && others >= missing &&
      static_cast<double>(others) >= kMuchOfDevice * size) {
    return Reason::kOtherProcess;
  }
  if (!heap.of_pool && missing > 0 && heap.idle_in_pool >= missing) {
    return Reason::kPoolReserve;
  }
  const bool full = static_cast<double>(heap.unused) < kNearlyFull * size;
  return heap.unused >= heap.requested && heap.largest < heap.requested && !full
             ? Reason::kFragmentation
             : Reason::kCapacity;
}

int64_t MissingFor(Reason reason, const HeapAtRefusal& heap) {
  if (reason == Reason::kOtherProcess || reason == Reason::kPoolReserve) {
    return heap.requested - heap.free.value_or(heap.unused);
  }
  const int64_t free = heap.free.value_or(0);
  if (heap.of_pool && free >= heap.requested && free < heap.segment) {
    return std::min(heap.segment - free, heap.requested - heap.largest);
  }
  const int64_t in_all = heap.requested - heap.unused;
  if (in_all <= 0) return heap.requested - heap.largest;
  // What is free inside chunks that hold a live block serves no large request.
  return reason == Reason::kLeak
             ? in_all
             : heap.requested - heap.free.value_or(heap.unused);
}

// Neighbouring spans; grows at its end and is cut at its beginning.
struct Range {
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

bool Cheaper(const Range& a, const Range& b) {
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

RefusalReason WhyRefused(const HeapAtRefusal& heap) {
  RefusalReason found;
  found.reason = ReasonFor(heap);
  const int64_t missing = MissingFor(found.reason, heap);
  if (found.reason != Reason::kLimit && missing > 0) found.missing = missing;
  if (heap.unused > 0) {
    found.fragmentation = 1 - static_cast<double>(heap.largest) /
                                  static_cast<double>(heap.unused);
  }
  return found;
}

std::vector<HeapSpan> BlocksInTheWay(const std::vector<HeapSpan>& heap,
                                     int64_t requested) {
  Range now;
  std::optional<std::pair<Range, size_t>> best;  // with its end
  for (size_t i = 0; i < heap.size(); ++i) {
    const bool goes_on =
        i > 0 &&
        heap[i - 1].address + static_cast<uint64_t>(heap[i - 1].bytes) ==
            heap[i].address;
    if (!goes_on) now = Range{i};
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
