// SPDX-License-Identifier: Apache-2.0
// Follows the ledger of a process: after each event the counters of the device,
// and of the category that changed; a slice from each allocation to its free.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analyzer/memory/replay/memory_event.h"
#include "analyzer/memory/sites/stack_frames.h"
#include "analyzer/perfetto/lanes.h"
#include "analyzer/perfetto/process_tracks.h"
#include "base/capped.h"
#include "base/places.h"
#include "trace/records/event.h"
#include "trace/store/checkpoint.h"

namespace inquest::perfetto {
namespace {

using memory::MemoryEvent;
using trace::Block;
using trace::Place;

constexpr size_t kKinds = 16;
static_assert(static_cast<size_t>(trace::kLastMemoryKind) < kKinds);

std::string DeviceName(int device) {
  return device < 0 ? "host" : fmt::format("GPU {}", device);
}

// The tracks of a device.
struct DeviceTracks {
  Track held = 0;
  Track kinds[kKinds] = {};
  int64_t bytes[kKinds] = {};  // live, by kind
  std::map<trace::Layer, Lanes> lanes;
};

class Follower : private trace::LedgerWatcher {
 public:
  Follower(const ProcessTracks& tracks, Written* written)
      : tracks_(tracks),
        writer_(*tracks.writer),
        written_(written),
        offset_(tracks.store->ClockOffset(tracks.process)),
        frames_(tracks.store, tracks.process),
        ledger_(this, [](int, trace::Layer) {
          return std::make_unique<trace::MapBlocks>();
        }) {}

  trace::Ledger* ledger() { return &ledger_; }

  void Begin(int64_t time) {
    now_ = AddCapped(time, offset_);
    for (const auto& [device, state] : ledger_.devices()) {
      for (const auto layer : {trace::Layer::kDevice, trace::Layer::kHandles,
                               trace::Layer::kFramework}) {
        state.layer(layer).blocks().Visit(
            [&, at = device](uint64_t address, const Block& block) {
              Appeared({at, layer, address}, block);
            });
      }
    }
  }

  void Add(const MemoryEvent& event) {
    now_ = AddCapped(event.time, offset_);
    ledger_.Add(event);
  }

 private:
  DeviceTracks& Of(int device) {
    // Most events are of the device of the one before.
    if (last_ != nullptr && last_device_ == device) return *last_;
    last_device_ = device;
    last_ = &devices_[device];
    if (last_->held == 0) {
      last_->held = writer_.AddCounter(
          tracks_.track, DeviceName(device) + " held by this process",
          Row::kHeld);
    }
    return *last_;
  }

  // What a slice is called: the innermost function of the program.
  uint64_t NameOf(const Block& block) {
    const auto [at, is_new] = names_.try_emplace(
        block.stack == 0 ? -int64_t{block.kind} : block.stack);
    if (!is_new) return at->second;
    std::string name;
    for (const memory::Frame& frame : frames_.Of(block.stack)) {
      if (memory::IsMachinery(frame)) continue;
      name = WithoutFolders(frame.function);
      break;
    }
    if (name.empty()) {
      name = trace::MemoryKindName(static_cast<trace::MemoryKind>(block.kind));
    }
    return at->second = writer_.NameOf(name);
  }

  // The counters after a change by `bytes` of this kind.
  void Count(const Place& place, const Block& block, int64_t sign) {
    DeviceTracks& device = Of(place.device);
    const size_t kind = block.kind % kKinds;
    if (device.kinds[kind] == 0) {
      device.kinds[kind] = writer_.AddCounter(
          tracks_.track,
          fmt::format("{} held: {}", DeviceName(place.device),
                      trace::MemoryKindName(
                          static_cast<trace::MemoryKind>(block.kind))),
          Row::kHeldByKind);
    }
    device.bytes[kind] = AddCapped(device.bytes[kind], sign * block.bytes);
    counts_.clear();
    counts_.push_back({device.kinds[kind], device.bytes[kind]});
    if (place.layer == trace::Layer::kFramework) return;
    const auto state = ledger_.devices().find(place.device);
    if (state == ledger_.devices().end()) return;
    counts_.push_back({device.held, state->second.live_bytes()});
  }

  // The track above those of all blocks, which the UI shows folded: they are
  // too many to stand beside the others.
  Track Blocks() {
    if (blocks_ == 0) {
      blocks_ =
          writer_.AddTrack(tracks_.track, "blocks of memory", Row::kBlocks);
    }
    return blocks_;
  }

  Track TakeLane(const Place& place) {
    if (!tracks_.options.slices) return 0;
    auto& lanes = Of(place.device).lanes;
    auto found = lanes.find(place.layer);
    if (found == lanes.end()) {
      const bool pool = place.layer == trace::Layer::kFramework;
      found = lanes
                  .emplace(place.layer,
                           Lanes(&writer_, Blocks(),
                                 DeviceName(place.device) +
                                     (pool ? " blocks of the framework's pool"
                                           : " allocations"),
                                 Row::kBlocks, tracks_.options.lanes))
                  .first;
    }
    return found->second.Take();
  }

  void Appeared(const Place& place, const Block& block) {
    Count(place, block, 1);
    const Track lane = TakeLane(place);
    if (lane == 0) {
      if (tracks_.options.slices) ++written_->without_slice;
      writer_.Set(counts_, now_);
      return;
    }
    lanes_[block.event] = lane;
    arguments_.clear();
    arguments_.push_back({"bytes", block.bytes});
    arguments_.push_back(Argument::Address("address", place.address));
    arguments_.push_back({"memory_event", block.event});
    writer_.BeginSlice(lane, now_, NameOf(block), arguments_, counts_);
  }

  void OnAlloc(const MemoryEvent& event, const trace::DeviceState&) override {
    Block block;
    block.bytes = event.bytes;
    block.event = event.id;
    block.stack = event.stack;
    block.kind = static_cast<uint8_t>(event.kind);
    const trace::Layer layer = LayerOf(event.kind);
    Appeared({event.device, layer, event.address}, block);
  }

  // As the ledger has it.
  static trace::Layer LayerOf(int kind) {
    switch (static_cast<trace::MemoryKind>(kind)) {
      case trace::MemoryKind::kFramework:
        return trace::Layer::kFramework;
      case trace::MemoryKind::kArray:
      case trace::MemoryKind::kPhysical:
        return trace::Layer::kHandles;
      default:
        return trace::Layer::kDevice;
    }
  }

  void OnFree(const Place& place, const Block& block, int64_t) override {
    Count(place, block, -1);
    const auto lane = lanes_.find(block.event);
    if (lane == lanes_.end()) {
      writer_.Set(counts_, now_);
      return;
    }
    writer_.EndSlice(lane->second, now_, counts_);
    Of(place.device).lanes.at(place.layer).GiveBack(lane->second);
    lanes_.erase(lane);
  }

  // The free has failed: the block goes on, in a second slice.
  void OnRestore(const Place& place, const Block& block) override {
    Appeared(place, block);
  }
  void OnSiteAlloc(int, int64_t, int64_t) override {}
  void OnSiteFree(int, int64_t, int64_t) override {}
  void OnSiteRestore(int, int64_t, int64_t) override {}
  void OnRefusal(const MemoryEvent&, const trace::DeviceState&) override {}

  const ProcessTracks& tracks_;
  TrackWriter& writer_;
  Written* written_;
  int64_t offset_;
  int64_t now_ = 0;
  memory::StackFrames frames_;
  trace::Ledger ledger_;
  Track blocks_ = 0;
  std::map<int, DeviceTracks> devices_;
  DeviceTracks* last_ = nullptr;
  int last_device_ = 0;
  std::unordered_map<int64_t, uint64_t> names_;  // by stack, or minus the kind
  std::unordered_map<int64_t, Track> lanes_;     // by the block's event
  std::vector<perfetto::Count> counts_;
  Arguments arguments_;
};

}  // namespace

Status WriteMemory(const ProcessTracks& tracks, Written* written) {
  facts::Store* store = tracks.store;
  RETURN_IF_ERROR(store->NeedEvents(tracks.process));
  const std::string prefix = store->TracePrefix(tracks.process);
  Follower follower(tracks, written);
  trace::Checkpoint checkpoint;
  if (store->HasTable(tracks.process, "checkpoint")) {
    ASSIGN_OR_RETURN(checkpoint, trace::ReadCheckpoint(&store->db(), prefix,
                                                       follower.ledger()));
    RETURN_IF_ERROR(
        trace::ReadCheckpointBlocks(&store->db(), prefix, follower.ledger()));
    if (checkpoint.event != 0) follower.Begin(checkpoint.time);
  }
  written->folded += checkpoint.folded;
  ASSIGN_OR_RETURN(const int64_t events,
                   memory::ForEachEvent(
                       &store->db(), prefix, checkpoint.event,
                       [&](const MemoryEvent& event) { follower.Add(event); }));
  written->memory_events += events;
  return Status::Ok();
}

}  // namespace inquest::perfetto
