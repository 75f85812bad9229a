// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/timeline/timeline.h"

#include <memory>
#include <vector>

#include "analyzer/memory/replay/memory_event.h"
#include "base/capped.h"
#include "trace/store/checkpoint.h"

namespace inquest::memory {
namespace {

// Notes what is held after each event that changed it.
class Follower : private trace::LedgerWatcher {
 public:
  Follower(size_t most, int64_t span, int64_t offset)
      : most_(most),
        span_(span),
        offset_(offset),
        ledger_(this, [](int, trace::Layer) {
          return std::make_unique<trace::MapBlocks>();
        }) {}

  trace::Ledger* ledger() { return &ledger_; }

  // What was live at a checkpoint.
  void Begin(int64_t time) {
    for (const auto& [device, state] : ledger_.devices()) Note(device, time);
  }

  void Add(const MemoryEvent& event) {
    changed_.clear();
    ledger_.Add(event);
    for (const int device : changed_) Note(device, event.time);
  }

  std::map<int, DeviceTimeline> Take() { return std::move(devices_); }

 private:
  void Note(int device, int64_t time) {
    if (device < 0) return;
    const auto state = ledger_.devices().find(device);
    if (state == ledger_.devices().end()) return;
    DeviceTimeline& line =
        devices_
            .try_emplace(device, DeviceTimeline{Curve(most_, span_),
                                                Curve(most_, span_)})
            .first->second;
    NoteIn(&line.held, time, state->second.live_bytes());
    NoteIn(&line.pool, time, state->second.framework.live_bytes());
  }

  void NoteIn(Curve* curve, int64_t time, int64_t value) {
    const auto& moments = curve->moments();
    const int64_t before = moments.empty() ? 0 : moments.back().last;
    if (value != before) curve->Add(AddCapped(time, offset_), value);
  }

  void OnAlloc(const MemoryEvent& event, const trace::DeviceState&) override {
    changed_.push_back(event.device);
  }
  void OnFree(const trace::Place& place, const trace::Block&,
              int64_t) override {
    changed_.push_back(place.device);
  }
  void OnRestore(const trace::Place& place, const trace::Block&) override {
    changed_.push_back(place.device);
  }
  void OnSiteAlloc(int, int64_t, int64_t) override {}
  void OnSiteFree(int, int64_t, int64_t) override {}
  void OnSiteRestore(int, int64_t, int64_t) override {}
  void OnRefusal(const MemoryEvent&, const trace::DeviceState&) override {}

  size_t most_;
  int64_t span_, offset_;
  trace::Ledger ledger_;
  std::vector<int> changed_;
  std::map<int, DeviceTimeline> devices_;
};

// The time of the first or last event by its number, which is close enough.
Expected<int64_t> TimeOf(facts::Store* store, const std::string& prefix,
                         const char* order) {
  return store->db().QueryInt("SELECT time_ns FROM " + prefix +
                              "memory_event ORDER BY id " + order + " LIMIT 1");
}

}  // namespace

Expected<Timeline> ReadTimeline(facts::Store* store, int process, size_t most) {
  const std::string prefix = store->TracePrefix(process);
  ASSIGN_OR_RETURN(const int64_t first, TimeOf(store, prefix, "ASC"));
  ASSIGN_OR_RETURN(const int64_t last, TimeOf(store, prefix, "DESC"));
  Follower follower(most, SubtractCapped(last, first),
                    store->ClockOffset(process));
  trace::Checkpoint checkpoint;
  if (store->HasTable(process, "checkpoint")) {
    ASSIGN_OR_RETURN(checkpoint, trace::ReadCheckpoint(&store->db(), prefix,
                                                       follower.ledger()));
    RETURN_IF_ERROR(
        trace::ReadCheckpointBlocks(&store->db(), prefix, follower.ledger()));
    if (checkpoint.event != 0) follower.Begin(checkpoint.time);
  }
  RETURN_IF_ERROR(
      ForEachEvent(&store->db(), prefix, checkpoint.event,
                   [&](const MemoryEvent& event) { follower.Add(event); })
          .status());
  return Timeline{follower.Take(), checkpoint.folded};
}

}  // namespace inquest::memory
