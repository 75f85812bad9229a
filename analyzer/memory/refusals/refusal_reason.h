// Why a request was refused, from the heap as it was: how many bytes were
// missing, how fragmented the rest was, and which few blocks stood in the way.
// Pure computation. Bytes.
//
// Fragmentation is one minus the largest free piece over all that is free: 0
// where it is one piece, near 1 where it is dust. It says what this heap could
// serve at this moment; no single figure says more (P. R. Wilson et al.,
// "Dynamic Storage Allocation: A Survey and Critical Review", 1995, on
// measures of fragmentation), which is why the blocks in the way stand beside.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/memory/replay/replay.h"

namespace inquest::memory {

struct RoomAtRefusal {
  int64_t requested = 0;
  int64_t unused = 0;             // free_space.h
  int64_t largest = 0;            // piece of it
  std::optional<int64_t> free;    // on the device
  std::optional<int64_t> total;   // the device's size
  std::optional<int64_t> others;  // held by other processes
  bool of_pool = false;           // a framework's pool refused
  int64_t idle_in_pool = 0;  // held by a pool, not live, of no use to others
  int64_t leaked = 0;        // grown by a suspect that holds much of the heap
};

enum class Reason {
  kCapacity,       // more than there is
  kFragmentation,  // enough in all, but not in one piece
  kOtherProcess,   // it would have fitted without the others
  kPoolReserve,    // it would have fitted into what a pool held idle
  kLimit,          // the device had room; somebody forbade it
  kLeak            // it would have fitted without what leaked
};
std::string_view Word(Reason reason);

struct Hindrance {
  Reason reason = Reason::kCapacity;
  std::optional<int64_t> missing;  // bytes; not where a limit is unknown
  std::optional<double> fragmentation;
};

Hindrance FindHindrance(const RoomAtRefusal& room);

// The cheapest way to make room: the live blocks, side by side but for gaps,
// with the fewest bytes, whose end would leave a hole of that size. Linear.
// None where no stretch is long enough, or a hole is there already.
std::vector<HeapSpan> BlocksInTheWay(const std::vector<HeapSpan>& heap,
                                     int64_t requested);

}  // namespace inquest::memory
