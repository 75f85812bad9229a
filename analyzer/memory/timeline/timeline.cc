// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/timeline/timeline.h"

#include <memory>

#include "analyzer/memory/replay/memory_event.h"
#include "base/capped.h"
#include "trace/store/checkpoint.h"

namespace inquest::memory {
namespace {

// What changes is seen in the ledger itself.
class Unwatched : public trace::LedgerWatcher {
  void OnSiteAlloc(int, int64_t, int64_t) override {}
  void OnSiteFree(int, int64_t, int64_t) override {}
  void OnSiteRestore(int, int64_t, int64_t) override {}
  void OnAlloc(const MemoryEvent&, const trace::DeviceState&) override {}
  void OnRefusal(const MemoryEvent&, const trace::DeviceState&) override {}
};

// The time of the first or last event by its number, which is close enough.
Expected<int64_t> TimeOf(facts::Store* store, const std::string& prefix,
                         const char* order) {
  return store->db().QueryInt("SELECT coalesce((SELECT time_ns FROM " + prefix +
                              "memory_event ORDER BY id " + order +
                              " LIMIT 1), 0)");
}

void NoteIn(Curve* curve, int64_t time, int64_t value) {
  const auto& moments = curve->moments();
  const int64_t before = moments.empty() ? 0 : moments.back().last;
  if (value != before) curve->Add(time, value);
}

}  // namespace

void Timeline::Reduce(size_t most) {
  for (auto& [device, line] : devices) {
    line.held.Reduce(most);
    line.pool.Reduce(most);
  }
}

void TimelineKeeper::Note(int device, const trace::DeviceState& state,
                          int64_t time) {
  auto found = devices_.find(device);
  if (found == devices_.end()) {
    const DeviceTimeline empty = {Curve(most_, span_), Curve(most_, span_)};
    found = devices_.emplace(device, empty).first;
  }
  DeviceTimeline& line = found->second;
  const int64_t at = AddCapped(time, offset_);
  NoteIn(&line.held, at, state.live_bytes());
  NoteIn(&line.pool, at, state.framework.live_bytes());
}

Expected<TimelineKeeper> KeeperFor(facts::Store* store, int process,
                                   size_t most) {
  const std::string prefix = store->TracePrefix(process);
  ASSIGN_OR_RETURN(const int64_t first, TimeOf(store, prefix, "ASC"));
  ASSIGN_OR_RETURN(const int64_t last, TimeOf(store, prefix, "DESC"));
  return TimelineKeeper(most, SubtractCapped(last, first),
                        store->ClockOffset(process));
}

Expected<Timeline> ReadTimeline(facts::Store* store, int process, size_t most) {
  RETURN_IF_ERROR(store->NeedEvents(process));
  const std::string prefix = store->TracePrefix(process);
  ASSIGN_OR_RETURN(TimelineKeeper keeper, KeeperFor(store, process, most));
  Unwatched unwatched;
  trace::Ledger ledger(&unwatched, [](int, trace::Layer) {
    return std::make_unique<trace::MapBlocks>();
  });
  trace::Checkpoint checkpoint;
  if (store->HasTable(process, "checkpoint")) {
    ASSIGN_OR_RETURN(checkpoint,
                     trace::ReadCheckpoint(&store->db(), prefix, &ledger));
    RETURN_IF_ERROR(trace::ReadCheckpointBlocks(&store->db(), prefix, &ledger));
    if (checkpoint.event != 0) keeper.Note(ledger.devices(), checkpoint.time);
  }
  RETURN_IF_ERROR(ForEachEvent(&store->db(), prefix, checkpoint.event,
                               [&](const MemoryEvent& event) {
                                 ledger.Add(event);
                                 keeper.Note(ledger.devices(), event.time);
                               })
                      .status());
  return keeper.Take(checkpoint.folded);
}

}  // namespace inquest::memory
