// SPDX-License-Identifier: Apache-2.0
// The facts that the analysis of one process writes after its replay.
#include <algorithm>
#include <map>
#include <string_view>

#include "analyzer/memory/peaks/peak_facts.h"
#include "analyzer/memory/pool/held_facts.h"
#include "analyzer/memory/pool/pool_earlier_run.h"
#include "analyzer/memory/process_analysis.h"
#include "analyzer/memory/refusals/refusal_facts.h"
#include "base/capped.h"
#include "base/rows.h"

namespace inquest::memory {
namespace {

struct LeakRow {
  template <class V>
  void Columns(V& v) {
    v("process", process);
    v("device", device);
    v("site", site);
    v("bytes_per_step", bytes_per_step);
    v("first_step", first_step);
    v("last_step", last_step);
    v("growth_bytes", growth_bytes);
    v("share", share);
    v("steps_to_full", steps_to_full);
    v("significance", significance);
  }
  int process = 0;
  int device = 0;
  int64_t site = 0;
  int64_t bytes_per_step = 0, first_step = 0, last_step = 0;
  int64_t growth_bytes = 0;
  double share = 0;
  std::optional<int64_t> steps_to_full;
  double significance = 0;
};

struct GrowthRow {
  template <class V>
  void Columns(V& v) {
    v("process", process);
    v("device", device);
    v("site", site);
    v("growth_bytes", growth_bytes);
    v("share", share);
    v("first_time", first_time);
    v("last_time", last_time);
    v("bytes_per_hour", bytes_per_hour);
    v("significance", significance);
  }
  int process = 0;
  int device = 0;
  int64_t site = 0;
  int64_t growth_bytes = 0;
  double share = 0;
  int64_t first_time = 0, last_time = 0;
  int64_t bytes_per_hour = 0;
  double significance = 0;
};

std::string_view WordOf(trace::Layer layer) {
  switch (layer) {
    case trace::Layer::kDevice:
      return "device";
    case trace::Layer::kHandles:
      return "handle";
    default:
      return "pool";
  }
}

}  // namespace

std::optional<int64_t> ProcessAnalysis::QueryFor(const std::string& select,
                                                 int device) {
  auto row = store_->db().Prepare(select);
  if (!row.ok()) return {};
  row->BindAll(device);
  std::optional<int64_t> value;
  row->Next(&value);
  return value;
}

std::optional<int64_t> ProcessAnalysis::Capacity(int device) {
  return QueryFor("SELECT nullif(total_bytes, 0) FROM " + prefix_ +
                      "device WHERE ordinal = ?",
                  device);
}

void ProcessAnalysis::Project() {
  for (const auto& [device, state] : replay_.devices()) {
    const trace::Heap& pool = state.framework;
    projection_.EndStep(
        device, {state.live_bytes(), state.peak_bytes, state.peak_time},
        {pool.live_bytes(), pool.peak_bytes(), pool.totals().peak_time});
  }
}

// At the pace of all suspects of the device together.
std::optional<int64_t> ProcessAnalysis::StepsLeft(int device) const {
  int64_t pace = 0;
  for (const Leak& leak : leaks_) {
    if (sites_.sites()[leak.site].device != device) continue;
    pace = AddCapped(pace, leak.bytes_per_step);
  }
  const auto room = ledger_.Room(device);
  if (!room) return {};
  return projection_.StepsLeft(device, *room, pace);
}

Status ProcessAnalysis::WriteLeaks() {
  ASSIGN_OR_RETURN(auto table,
                   InsertInto<LeakRow>(&store_->db(), "store_leak_suspect"));
  for (const Leak& leak : leaks_) {
    const Site& site = sites_.sites()[leak.site];
    LeakRow row{process_,
                site.device,
                SiteId(leak.site),
                leak.bytes_per_step,
                leak.first_step,
                leak.last_step,
                leak.growth_bytes,
                leak.share,
                {},
                leak.significance};
    if (const auto left = StepsLeft(site.device)) {
      row.steps_to_full = leak.last_step + 1 + *left - leak.first_step;
    }
    RETURN_IF_ERROR(table.Add(row));
    RETURN_IF_ERROR(WriteLeakSteps(leak));
  }
  return Status::Ok();
}

Status ProcessAnalysis::WriteLeakSteps(const Leak& leak) {
  const Site& site = sites_.sites()[leak.site];
  ASSIGN_OR_RETURN(Statement row,
                   store_->db().Prepare(
                       "INSERT INTO store_leak_step VALUES (?, ?, ?, ?, ?)"));
  for (const Point& point : site.by_step.points()) {
    RETURN_IF_ERROR(row.Run(process_, site.device, SiteId(leak.site),
                            static_cast<int64_t>(point.x),
                            static_cast<int64_t>(point.y)));
  }
  return Status::Ok();
}

Status ProcessAnalysis::WriteGrowth() {
  ASSIGN_OR_RETURN(
      auto table, InsertInto<GrowthRow>(&store_->db(), "store_growth_suspect"));
  for (const Growth& one : growths_) {
    RETURN_IF_ERROR(table.Add({process_, sites_.sites()[one.site].device,
                               SiteId(one.site), one.growth_bytes, one.share,
                               AddCapped(one.first_time, offset_),
                               AddCapped(one.last_time, offset_),
                               one.bytes_per_hour, one.significance}));
  }
  return Status::Ok();
}

// What the answer about leaks rests on.
Status ProcessAnalysis::WriteLeakQuestion() {
  std::string judged = "steps";
  std::string why = "each step is marked or recognised";
  if (windows_) {
    const bool many = windows_->ended() >= Windows::kFewest;
    const bool one_moment =
        many && windows_->first_time() == windows_->last_time();
    const bool enough = many && !one_moment;
    judged = enough ? "growth" : "none";
    why = enough ? "no steps are known; growth against time and allocations"
          : one_moment
              ? "the record is of one moment"
              : "no steps are known, and there are too few allocations";
  } else if (!steps_.certain()) {
    judged = "repetition";
    why =
        "allocations or ranges repeat, but nothing tells that they are "
        "training steps: " +
        steps_.Doubt();
  }
  ASSIGN_OR_RETURN(
      Statement row,
      store_->db().Prepare("INSERT INTO store_leak_question VALUES (?, ?, ?)"));
  return row.Run(process_, judged, why);
}

// Growth of suspects that held much of the live memory, by device.
std::map<int, int64_t> ProcessAnalysis::Leaked() const {
  std::map<int, int64_t> leaked;
  for (const Leak& leak : leaks_) {
    const Site& site = sites_.sites()[leak.site];
    const auto state = replay_.devices().find(site.device);
    if (leak.share < 0.5 || state == replay_.devices().end() ||
        site.live_bytes < state->second.live_bytes() / 4) {
      continue;
    }
    leaked[site.device] = std::max(leaked[site.device], leak.growth_bytes);
  }
  return leaked;
}

EarlierRunContext ProcessAnalysis::ForEarlierRuns() {
  return {store_,
          process_,
          [this](size_t site) { return SiteId(site); },
          [this](int64_t stack) { return Frames(stack); },
          [this](int64_t time) { return steps_.Covers(time); },
          [this](int64_t stack) { return frames_.All(stack); }};
}

Status ProcessAnalysis::WriteRefusals() {
  RETURN_IF_ERROR(RefusalFacts({store_, process_,
                                [this](size_t site) { return SiteId(site); },
                                Leaked(), &sites_, ForEarlierRuns(), torch_},
                               replay_)
                      .Write());
  if (!store_->HasTable(process_, "framework_block")) return Status::Ok();
  return WritePoolEarlierRuns(ForEarlierRuns(), &sites_);
}

Status ProcessAnalysis::WritePeakFacts() {
  return WritePeaks({store_,
                     process_,
                     &sites_,
                     [this](size_t site) { return SiteId(site); },
                     {steps_.Ends(), steps_.UsualLength()},
                     &places_,
                     [this](size_t site) {
                       return std::any_of(
                           leaks_.begin(), leaks_.end(),
                           [=](const Leak& leak) { return leak.site == site; });
                     },
                     before_event_,
                     categories_ ? &*categories_ : nullptr},
                    replay_);
}

Status ProcessAnalysis::WriteHeldFacts() {
  return WriteHeld({store_, process_, &sites_,
                    [this](size_t site) { return SiteId(site); }});
}

Status ProcessAnalysis::WriteFaults() {
  ASSIGN_OR_RETURN(Statement row,
                   store_->db().Prepare("INSERT INTO store_replay_fault VALUES "
                                        "(?, ?, ?, ?, ?, ?, ?)"));
  for (const auto& [key, fault] : replay_.faults().all()) {
    const auto& [device, layer, kind] = key;
    RETURN_IF_ERROR(row.Run(process_, device, WordOf(layer), Word(kind),
                            fault.count, fault.first_event,
                            AddCapped(fault.first_time, offset_)));
  }
  return Status::Ok();
}

}  // namespace inquest::memory
