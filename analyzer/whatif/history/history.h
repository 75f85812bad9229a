// SPDX-License-Identifier: Apache-2.0
// The requests of one process on one device, from a trace, in the form that the
// models replay (simulate.h). Read once (read_history.h), replayed many times,
// and therefore in memory: 16 bytes a request. Sizes are bytes.
//
// A history may start late. Blocks that were live before are `before`. Models
// of the recorded settings keep them at their addresses (`segments`, `placed`),
// so that they can reproduce the record; all other models allocate them again,
// in the order of addresses, because other settings would have placed them
// elsewhere. That is more favourable than a real past, which leaves holes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/memory/leaks/leak.h"
#include "analyzer/whatif/models/torch_allocator.h"

namespace inquest::whatif {

enum class Op : uint8_t {
  kAllocate,
  kFree,
  kEmptyCache,
  kStepEnd,
  kRefused,           // the request that the run died of
  kRefusedInPassing,  // a refused request that the run survived
};

struct Request {
  // kEmptyCache: what the pool would have held at its next growth if it had
  // released nothing; 0 if it did not grow next. kStepEnd: the step's number.
  int64_t bytes = 0;
  uint32_t block = 0;
  uint16_t queue = 0;
  Op op = Op::kAllocate;
};
static_assert(sizeof(Request) == 16);

// Who received the requests.
enum class Level : uint8_t {
  kPool,    // a framework's allocator, from the program
  kDriver,  // the driver, from the program or an unrecorded allocator
};

// The trace's own figures, for comparison.
struct Recorded {
  std::optional<int64_t> peak_reserved;
  std::optional<int64_t> reserved_at_end;
  std::optional<int64_t> segments_at_end;
  int64_t peak_allocated = 0;  // as requested
};

// How much memory the device had for these requests.
struct Room {
  std::optional<int64_t> bytes;    // for what the models hold from the driver
  std::optional<int64_t> total;    // the device
  int64_t others = 0;              // other processes' part of it
  std::string source;              // where `bytes` is from, as text
  bool one_piece = false;          // Driver's option
  std::optional<uint64_t> lowest;  // address, for the same
};

// What the blocks are for, as far as it is known (block_uses.h).
struct BlockUses {
  bool keeps_graph = false;  // activations are kept for a backward pass
  bool mixed = false;        // weights are copied in half precision already
  int copies = 1;            // lasting blocks for each weight
  int64_t weights = 0;       // bytes, without their gradients and moments
  int64_t lasting = 0;       // bytes, when most of the rest was held
  int64_t growing_peak = 0;  // most that grows with the batch
};

struct LeakingSite {
  size_t site = 0;
  int64_t first_step = 0;  // at its end the site held what it may hold
  int64_t bytes_per_step = 0;
  std::string name;
};

struct History {
  int process = 0;
  int device = 0;
  Level level = Level::kPool;
  bool torch = false;       // the program's framework
  bool tensorflow = false;  // or JAX: BFC regions
  bool moment = false;      // only one moment: there are no requests
  TorchSettings settings;   // as recorded
  std::string settings_text;
  std::vector<Request> requests;
  std::vector<uint32_t> sites;   // by block
  std::vector<bool> persistent;  // by block; see Persistence
  // Live before: blocks 0 …, with the requested sizes.
  std::vector<Request> before;
  std::vector<PlacedSegment> segments;
  std::vector<std::vector<PlacedBlock>> placed;  // by segment, by address
  std::vector<uint16_t> private_queues;
  int64_t steps = 0;
  std::string
      persistence;  // how lasting memory was found; "": it was not found
  BlockUses uses;
  std::vector<LeakingSite> leaks;
  Recorded recorded;
  Room room;
  std::string note;            // what is missing from the trace
  std::optional<size_t> died;  // the request that it died of
  // Nobody recorded how much it asked for.
  bool died_unmeasured() const { return died && requests[*died].bytes == 0; }
  int64_t allocations = 0;
  int64_t refusals = 0;
};

}  // namespace inquest::whatif
