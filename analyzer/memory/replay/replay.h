// SPDX-License-Identifier: Apache-2.0
// Replays the memory events of one process in the order they took effect: what
// was live where at any time, the state of the heap at each refused request,
// what each site held and each step. One pass over the events, or over those
// after the trace's checkpoint (trace/store/fold.h); memory is bounded by the
// live blocks. trace/store/ledger.h defines what an event does. Called by
// Analyze (analyze.h), once for each trace.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/memory/peaks/peak.h"
#include "analyzer/memory/pool/pool_map.h"
#include "analyzer/memory/replay/block_follower.h"
#include "analyzer/memory/replay/faults.h"
#include "analyzer/memory/replay/memory_event.h"
#include "analyzer/memory/sites/sites.h"
#include "base/status.h"
#include "trace/store/checkpoint.h"
#include "trace/store/ledger.h"

namespace inquest::memory {

using trace::Block;
using trace::DeviceState;
using trace::Gaps;
using trace::Heap;
using trace::kDriverChunk;

struct HeapSpan {
  uint64_t address = 0;
  int64_t bytes = 0;
  bool live = false;
  int64_t event = 0;
  size_t site = 0;
  int64_t age = 0;
};

// A live block, by the code that allocated it.
struct HeldBlock {
  size_t site = 0;
  int64_t stack = 0;
  int64_t bytes = 0;
  int64_t event = 0;  // memory_event.id that made it; 0: before the trace
  int64_t time = 0;   // in the trace's clock
};

struct Refusal {
  MemoryEvent event;
  int64_t live_bytes = 0;       // of this process on the device
  int64_t framework_bytes = 0;  // of them live inside the framework's pool
  Gaps gaps;                    // of the pool, if it refused
  bool of_pool = false;         // a framework's pool refused, not the driver
  int64_t idle_in_pool = 0;     // free in the pool's segments, if it did not
  int64_t granted = 0;          // allocations on the device before it
  bool survived = false;
  std::vector<HeldBlock> held;  // on the device, by what code allocated
  // What the sites of these blocks, and of the request, had made and given up
  // by then, by call stack: what unwinds after the refusal frees more.
  std::unordered_map<int64_t, SiteCounts> made;
  std::vector<HeapSpan> heap;  // for some refusals only, see replay.cc
};

class Replay : private trace::LedgerWatcher {
 public:
  explicit Replay(SiteTable* sites);
  Replay(const Replay&) = delete;  // the ledger points back
  Replay& operator=(const Replay&) = delete;

  // Begins at the trace's checkpoint, if it has one. Call before the first Add;
  // `prefix` precedes the table names.
  Expected<trace::Checkpoint> Resume(Database* db, const std::string& prefix);
  // Settings of the framework's pool. Call before the first Add.
  void SetTorch(const TorchSettings& settings) { torch_ = settings; }
  void SetFollower(BlockFollower* follower) { follower_ = follower; }
  void Add(const MemoryEvent& event) {
    if (events_++ % kMarked == 0) marks_.push_back(event.id);
    last_event_ = event.id;
    ledger_.Add(event);
  }
  // A step ends after the event added last.
  void EndStep() { step_end_ = last_event_; }
  // What is made after the last step is not of a step. In the trace's clock;
  // call before the first Add.
  void SetLastStepEnd(int64_t time) { last_step_end_ = time; }
  // Training went on after a refusal if whole steps followed. `ends`: of all
  // steps, ascending. Call after the last Add.
  void SurviveSteps(const std::vector<int64_t>& ends);
  // And if most of its allocations followed, whatever its steps are: a library
  // that tries an algorithm early and takes another one. What is granted on the
  // way out is little beside a run. Call after the last Add.
  void SurviveWork();
  // What the process holds on all devices now.
  int64_t LiveBytes() const { return ledger_.LiveBytes(); }
  int64_t LiveBytes(int device) const {
    const auto state = ledger_.devices().find(device);
    return state == ledger_.devices().end() ? 0 : state->second.live_bytes();
  }

  // How many events that moved memory have a smaller number, to the last
  // sixteen: others are numbered with them.
  int64_t EventsBefore(int64_t event) const {
    const auto after = std::ranges::lower_bound(marks_, event);
    return (after - marks_.begin()) * kMarked;
  }

  const std::map<int, DeviceState>& devices() const {
    return ledger_.devices();
  }
  const std::vector<Refusal>& refusals() const { return refusals_; }
  const Faults& faults() const { return faults_; }
  // The peak of the device, or of a framework's pool on it; nullptr if nothing
  // was held. PeakBlocks is empty if the peak is before the checkpoint.
  const Peak* PeakOf(int device, bool of_pool) const {
    const auto found = peaks_.find(device);
    return found == peaks_.end() ? nullptr : &found->second[of_pool ? 1 : 0];
  }
  std::vector<PeakBlock> PeakBlocks(int device, bool of_pool) const;

 private:
  void OnSiteAlloc(int device, int64_t stack, int64_t bytes) override;
  void OnSiteFree(int device, int64_t stack, int64_t bytes) override;
  void OnSiteRestore(int device, int64_t stack, int64_t bytes) override;
  void OnAlloc(const MemoryEvent& event, const DeviceState& state) override;
  void OnFree(const trace::Place& place, const Block& block,
              int64_t time) override;
  void OnRestore(const trace::Place& place, const Block& block) override;
  void OnUnknownFree(const trace::Place& place,
                     const MemoryEvent& event) override;
  void OnOverlap(const trace::Place& place, const MemoryEvent& event) override;
  Peak& PeakOf(const trace::Place& place) {
    return peaks_[place.device][place.layer == trace::Layer::kFramework];
  }
  void OnRefusal(const MemoryEvent& event, const DeviceState& state) override;
  HeldBlock HeldOf(int device, const Block& block);
  std::unordered_map<int64_t, SiteCounts> MadeBy(
      const std::vector<HeldBlock>& held, const MemoryEvent& refused);
  std::vector<HeldBlock> HeldOn(int device, const DeviceState& state);
  HeapSpan LiveSpan(int device, const Block& block, int64_t now);
  std::vector<HeapSpan> Snapshot(const Heap& heap, int device, int64_t now);
  std::vector<HeapSpan> Snapshot(const std::vector<PoolSpan>& pool, int device,
                                 int64_t now);
  Status ResumeSites(Database* db, const std::string& prefix);
  Status ResumeRefusals(Database* db, const std::string& prefix);
  bool IsRepeated(const MemoryEvent& event);
  void Survive(const MemoryEvent& event);
  void Keep(Refusal refusal);

  SiteTable* sites_;
  BlockFollower* follower_ = nullptr;
  trace::Ledger ledger_;
  std::vector<Refusal> refusals_;
  // Not survived so far, by site, and there by the bytes that were asked for.
  std::unordered_map<size_t, std::multimap<int64_t, size_t>> open_refusals_;
  bool changed_ = false;  // memory was granted or freed since the last refusal
  bool again_ = false;    // the last refusal was the same as the one before
  int snapshots_ = 0;
  TorchSettings torch_;
  static constexpr int64_t kMarked = 16;
  int64_t events_ = 0;
  std::vector<int64_t> marks_;  // the number of each sixteenth
  int64_t last_event_ = 0;
  int64_t step_end_ = 0;  // event after which the last step ended
  int64_t last_step_end_ = INT64_MAX;
  Block freed_;  // the block freed last, and when
  int64_t freed_time_ = 0;
  Faults faults_;
  std::map<int, std::array<Peak, 2>> peaks_;  // of devices, and of their pools
};

}  // namespace inquest::memory
