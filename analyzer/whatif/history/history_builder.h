// SPDX-License-Identifier: Apache-2.0
// Builds a history from the events of blocks and segments of one device, called
// in the order in which they took effect. Used by the readers of traces
// (read_history.cc) and of a framework's blocks (read_blocks.cc). Impossible
// events (a free of an unknown address, overlapping blocks) are skipped, as in
// the ledger. O(log live) per event. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/memory/sites/sites.h"
#include "analyzer/whatif/history/history.h"

namespace inquest::whatif {

// A stream, and the private pool that it takes from, or 0.
struct QueueKey {
  uint64_t stream = 0;
  int64_t pool = 0;
  auto operator<=>(const QueueKey&) const = default;
};

class HistoryBuilder {
 public:
  // `frames` names the stacks, for the sites.
  HistoryBuilder(memory::SiteTable::StackFrames frames, int process,
                 int device);

  // Before the history: segments first, then the blocks, by address.
  void AddSegmentBefore(uint64_t address, int64_t bytes, bool grows);
  void AddBlockBefore(uint64_t address, int64_t bytes, int64_t stack);
  // Who may use a segment, according to the pool's state at the end.
  void SetSegmentOwner(uint64_t address, int64_t bytes, const QueueKey& queue,
                       bool small);

  void Allocate(uint64_t address, int64_t bytes, const QueueKey& queue,
                int64_t stack, uint64_t context = 0);
  void Free(uint64_t address);
  void UndoFree(uint64_t address);
  void DestroyContext(uint64_t context);
  // A refused request. `room`, if known, is what the device had at that moment
  // for the pool or, for a request to the driver, free.
  void Refuse(int64_t bytes, const QueueKey& queue,
              std::optional<int64_t> room);
  void AddSegment(uint64_t address, int64_t bytes);
  void RemoveSegment(uint64_t address);
  void BeginSteps();  // the first step begins with the next event
  void EndStep(int64_t step);

  int64_t reserved() const { return reserved_; }
  const memory::SiteTable& sites() const { return sites_; }
  History& history() { return history_; }
  // The whole history; call once, at the end.
  History Finish();

 private:
  struct Live {
    uint32_t block = 0;
    uint64_t context = 0;
    int64_t stack = 0;
    int64_t bytes = 0;
  };
  struct Before {  // a segment
    int64_t bytes = 0;
    bool grows = false;
    std::optional<QueueKey> queue;
    std::optional<bool> small;
  };
  struct OpenRefusal {
    size_t request = 0;
    int64_t bytes = 0;
    std::optional<int64_t> room;
  };

  uint16_t QueueOf(const QueueKey& key);
  uint32_t NewBlock(int64_t stack);
  void Add(Op op, int64_t bytes, uint32_t block, uint16_t queue);
  void Drop(std::unordered_map<uint64_t, Live>::iterator live);
  Before* SegmentAt(uint64_t address);
  void InferOwner(uint64_t address, int64_t bytes, const QueueKey& queue);
  void JoinGrowing();
  void PlaceBlocks();
  void FinishRefusals();
  void FinishPersistence();

  memory::SiteTable sites_;
  History history_;
  std::map<QueueKey, uint16_t> queues_;
  std::unordered_map<uint64_t, Live> live_;
  std::vector<uint32_t> made_in_;           // step, by block
  std::vector<bool> kept_;                  // by block: it outlived a step
  std::optional<uint32_t> first_of_steps_;  // block
  std::map<uint64_t, Before> before_;       // segments
  std::map<uint64_t, Live> placed_;         // blocks
  std::unordered_map<uint64_t, int64_t> segments_;
  int64_t reserved_ = 0;
  int64_t live_bytes_ = 0;
  std::optional<size_t> emptied_;  // the request, while nothing else followed
  int64_t held_before_emptied_ = 0;
  std::pair<uint64_t, uint64_t> last_given_ = {0, 0};
  std::vector<OpenRefusal> open_;
  uint64_t last_freed_at_ = 0;
  Live last_freed_;
};

}  // namespace inquest::whatif
