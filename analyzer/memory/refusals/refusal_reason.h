// SPDX-License-Identifier: Apache-2.0
// Why a request was refused, decided here once and written to oom.reason, which
// rules and reports read: from the heap as it was, how many bytes were missing,
// how fragmented the rest was, and which few blocks were in the way. Pure
// computation, for refusal_facts.cc. Bytes.
//
// Fragmentation is one minus the largest free piece over all free memory: 0 if
// it is one piece, near 1 if it is many tiny ones. It says what this heap could
// serve at this moment; no single figure says more (P. R. Wilson et al.,
// "Dynamic Storage Allocation: A Survey and Critical Review", 1995, on measures
// of fragmentation), which is why the blocks in the way are reported beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/memory/replay/replay.h"

namespace inquest::memory {

struct HeapAtRefusal {
  int64_t requested = 0;
  int64_t unused = 0;             // free_space.h
  int64_t largest = 0;            // piece of it
  std::optional<int64_t> free;    // on the device
  std::optional<int64_t> total;   // the device's size
  std::optional<int64_t> others;  // held by other processes
  bool of_pool = false;           // a framework's pool refused
  int64_t idle_in_pool = 0;  // held by a pool, not live, not usable by others
  int64_t leaked = 0;        // growth of a leak suspect with much of the heap
  int64_t segment = 0;       // what a pool has to ask the driver for
};

enum class Reason {
  kCapacity,       // more than the device has
  kFragmentation,  // enough in all and much of the device, but in small pieces
  kOtherProcess,   // it would have fitted without other processes' memory
  kPoolReserve,    // it would have fitted into a pool's idle memory
  kLimit,          // the device had room, so a setting forbade it
  kLeak            // it would have fitted without what leaked
};
std::string_view Word(Reason reason);

struct RefusalReason {
  Reason reason = Reason::kCapacity;
  std::optional<int64_t> missing;  // bytes; unknown for kLimit
  std::optional<double> fragmentation;
};

RefusalReason WhyRefused(const HeapAtRefusal& heap);

// The cheapest way to make room: of all neighbouring blocks whose release would
// leave a free range of that size, those with the fewest live bytes. Linear.
// Empty if no range is long enough, or if a free range already is.
std::vector<HeapSpan> BlocksInTheWay(const std::vector<HeapSpan>& heap,
                                     int64_t requested);

}  // namespace inquest::memory
