#include "analyzer/memory/analyze.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/python_frames.h"
#include "analyzer/memory/free_space.h"
#include "analyzer/memory/leak.h"
#include "analyzer/memory/replay.h"
#include "analyzer/memory/sites.h"
#include "analyzer/memory/steps.h"
#include "analyzer/memory/symbolize.h"

namespace inquest::memory {
namespace {

// Everything about one process on the way from its trace to the store.
class ProcessAnalysis {
 public:
  ProcessAnalysis(facts::Store* store, int process,
                  const AnalyzeOptions& options, int64_t* next_site)
      : store_(store),
        process_(process),
        options_(options),
        prefix_(store->TracePrefix(process)),
        offset_(store->ClockOffset(process)),
        symbolizer_(store, process),
        sites_([this](int64_t stack) { return Frames(stack); }),
        replay_(&sites_),
        steps_({[this] { return replay_.LiveBytes(); },
                [this](int64_t step) { sites_.EndStep(step); }}),
        first_site_(*next_site),
        next_site_(next_site) {}

  Expected<int64_t> Run();

 private:
  std::vector<Frame> Frames(int64_t stack);
  std::vector<Frame> PythonFrames(int64_t stack);
  Expected<int64_t> ReplayEvents();
  Status WriteSites();
  Status WriteUsage();
  void BindPool(const Heap& pool, Statement* row) const;
  Status WriteLeaks();
  Status WriteRefusals();
  Status WriteRefusal(const Refusal& refusal, int64_t own_pid);
  Status WriteHeap(const Refusal& refusal, int64_t oom);
  std::optional<int64_t> QueryAt(const std::string& select, int device,
                                 int64_t time);
  std::optional<int64_t> Capacity(int device);
  std::optional<int64_t> FreeAtStart(int device);
  int64_t SiteId(size_t site) const {
    return first_site_ + static_cast<int64_t>(site);
  }

  facts::Store* store_;
  int process_;
  const AnalyzeOptions& options_;
  std::string prefix_;
  int64_t offset_;
  Symbolizer symbolizer_;
  SiteTable sites_;
  Replay replay_;
  Steps steps_;
  std::map<int, int64_t> before_;  // live in a pool, by device
  int64_t first_site_;
  int64_t* next_site_;
};

std::vector<Frame> ProcessAnalysis::Frames(int64_t stack) {
  std::vector<Frame> frames;
  if (options_.frames) frames = options_.frames(process_, stack);
  if (frames.empty()) frames = PythonFrames(stack);
  if (!frames.empty()) return frames;
  auto row = store_->db().Prepare("SELECT frames FROM " + prefix_ +
                                  "stack WHERE id = ?");
  if (stack == 0 || !row.ok()) return frames;
  row->Bind(0, stack);
  if (!row->Step()) return frames;
  const std::string_view blob = row->Blob(0);
  for (size_t at = 0; at + sizeof(uint64_t) <= blob.size();
       at += sizeof(uint64_t)) {
    uint64_t address = 0;
    memcpy(&address, blob.data() + at, sizeof(address));
    frames.push_back(symbolizer_.Resolve(address));
  }
  return frames;
}

// A user of Python thinks in its lines: where there are any, they are the
// stack.
std::vector<Frame> ProcessAnalysis::PythonFrames(int64_t stack) {
  std::vector<Frame> frames;
  for (const facts::PythonFrame& python :
       facts::TellingPythonFrames(store_, process_, stack)) {
    Frame frame;
    frame.function = facts::PlaceOf(python);
    frame.file = python.file;
    frame.line = static_cast<int>(python.line);
    frame.module = "python";
    frames.push_back(std::move(frame));
  }
  return frames;
}

Expected<int64_t> ProcessAnalysis::ReplayEvents() {
  trace::Checkpoint checkpoint;
  const bool folded = store_->HasTable(process_, "checkpoint");
  if (folded) {
    ASSIGN_OR_RETURN(checkpoint, replay_.Resume(&store_->db(), prefix_));
  }
  // A checkpoint of which nothing was folded is what was there before.
  if (checkpoint.event != 0 && checkpoint.folded == 0) {
    for (const auto& [device, state] : replay_.devices()) {
      before_[device] = state.framework.live_bytes();
    }
  }
  RETURN_IF_ERROR(steps_.Read(
      &store_->db(), prefix_,
      folded ? std::optional<int64_t>(checkpoint.event) : std::nullopt));
  ASSIGN_OR_RETURN(const int64_t behind,
                   ForEachEvent(&store_->db(), prefix_, checkpoint.event,
                                [this](const MemoryEvent& event) {
                                  steps_.Before(event);
                                  replay_.Add(event);
                                }));
  steps_.Finish();
  const int64_t count = checkpoint.folded + behind;
  return count;
}

// The nearest sample of a device's state to a moment, failures preferred.
std::optional<int64_t> ProcessAnalysis::QueryAt(const std::string& select,
                                                int device, int64_t time) {
  auto row = store_->db().Prepare(select);
  if (!row.ok()) return {};
  row->Bind(0, int64_t{device}).Bind(1, time);
  if (!row->Step() || row->IsNull(0)) return {};
  return row->Int(0);
}

std::optional<int64_t> ProcessAnalysis::FreeAtStart(int device) {
  return QueryAt("SELECT free_bytes FROM " + prefix_ +
                     "device_memory WHERE device = ? AND ? IS NOT NULL AND "
                     "reason = 'start' ORDER BY time_ns LIMIT 1",
                 device, 0);
}

std::optional<int64_t> ProcessAnalysis::Capacity(int device) {
  return QueryAt("SELECT nullif(total_bytes, 0) FROM " + prefix_ +
                     "device WHERE ordinal = ? AND ? IS NOT NULL",
                 device, 0);
}

Status ProcessAnalysis::WriteSites() {
  ASSIGN_OR_RETURN(Statement row,
                   store_->db().Prepare("INSERT INTO store_site VALUES (?, ?, "
                                        "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  for (size_t i = 0; i < sites_.sites().size(); ++i) {
    const Site& site = sites_.sites()[i];
    row.Bind(0, SiteId(i)).Bind(1, int64_t{process_});
    const Frame frame = sites_.TellingFrame(i);
    row.Bind(2, int64_t{site.device}).Bind(3, frame.function);
    row.BindNull(4).BindNull(5);
    if (!frame.file.empty()) {
      row.Bind(4, frame.file).Bind(5, int64_t{frame.line});
    }
    row.Bind(6, site.chain).Bind(7, site.stack).Bind(8, site.allocations);
    row.Bind(9, site.frees).Bind(10, site.failures);
    row.Bind(11, site.allocated_bytes).Bind(12, site.live_bytes);
    row.Bind(13, site.peak_bytes);
    RETURN_IF_ERROR(row.Run());
  }
  *next_site_ += static_cast<int64_t>(sites_.sites().size());
  return Status::Ok();
}

Status ProcessAnalysis::WriteUsage() {
  ASSIGN_OR_RETURN(
      Statement row,
      store_->db().Prepare("INSERT INTO store_device_usage VALUES (?, ?, ?, ?, "
                           "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  for (const auto& [device, state] : replay_.devices()) {
    const auto& heap = state.device;
    const auto& handles = state.handles;
    row.Bind(0, int64_t{process_}).Bind(1, int64_t{device});
    row.Bind(2, heap.allocations() + handles.allocations());
    row.Bind(3, heap.frees() + handles.frees()).Bind(4, state.failed);
    row.Bind(5, state.peak_bytes).Bind(6, state.peak_time + offset_);
    row.Bind(7, state.live_bytes());
    const auto capacity = Capacity(device);
    if (capacity) {
      row.Bind(8, *capacity);
    } else {
      row.BindNull(8);
    }
    row.Bind(9, heap.unknown_frees() + handles.unknown_frees());
    row.Bind(10, heap.overlaps());
    BindPool(state.framework, &row);
    const auto before = before_.find(device);
    if (before != before_.end()) row.Bind(16, before->second);
    RETURN_IF_ERROR(row.Run());
  }
  return Status::Ok();
}

// Most traces do not tell of a pool's blocks one by one.
void ProcessAnalysis::BindPool(const Heap& pool, Statement* row) const {
  for (int i = 11; i < 17; ++i) row->BindNull(i);
  if (pool.peak_bytes() == 0) return;
  row->Bind(11, pool.allocations()).Bind(12, pool.frees());
  row->Bind(13, pool.peak_bytes()).Bind(14, pool.totals().peak_time + offset_);
  row->Bind(15, pool.live_bytes());
}

Status ProcessAnalysis::WriteLeaks() {
  ASSIGN_OR_RETURN(Statement row,
                   store_->db().Prepare("INSERT INTO store_leak VALUES (?, ?, "
                                        "?, ?, ?, ?, ?, ?, ?)"));
  for (const Leak& leak : FindLeaks(sites_.sites())) {
    const Site& site = sites_.sites()[leak.site];
    row.Bind(0, int64_t{process_}).Bind(1, int64_t{site.device});
    row.Bind(2, SiteId(leak.site)).Bind(3, leak.bytes_per_step);
    row.Bind(4, leak.first_step).Bind(5, leak.last_step);
    row.Bind(6, leak.growth_bytes).Bind(7, leak.share).BindNull(8);
    const auto room = FreeAtStart(site.device);
    // What the other sites held at the end is not theirs to grow into.
    const int64_t others = replay_.LiveBytes() - site.live_bytes;
    if (room && leak.bytes_per_step > 0 && *room > others) {
      row.Bind(8, (*room - others) / leak.bytes_per_step);
    }
    RETURN_IF_ERROR(row.Run());
  }
  return Status::Ok();
}

Status ProcessAnalysis::WriteHeap(const Refusal& refusal, int64_t oom) {
  ASSIGN_OR_RETURN(Statement row,
                   store_->db().Prepare("INSERT INTO store_heap_block VALUES "
                                        "(?, ?, ?, ?, ?, ?, ?, NULL)"));
  for (const HeapSpan& span : refusal.heap) {
    row.Bind(0, oom).Bind(1, static_cast<int64_t>(span.address));
    row.Bind(2, span.bytes).Bind(3, span.live ? "live" : "free");
    row.BindNull(4).BindNull(5).BindNull(6);
    if (span.live) {
      row.Bind(5, SiteId(span.site)).Bind(6, span.age);
      if (span.event != 0) row.Bind(4, span.event);  // 0: before the trace
    }
    RETURN_IF_ERROR(row.Run());
  }
  return Status::Ok();
}

Status ProcessAnalysis::WriteRefusal(const Refusal& refusal, int64_t own_pid) {
  const MemoryEvent& event = refusal.event;
  const std::string nearest =
      " AND reason != 'start' ORDER BY abs(time_ns - ?2), time_ns LIMIT 1";
  const auto free_bytes =
      QueryAt("SELECT free_bytes FROM " + prefix_ +
                  "device_memory WHERE device = ?1" + nearest,
              event.device, event.time);
  const auto others = QueryAt(
      "SELECT sum(used_bytes) FROM " + prefix_ +
          "device_process WHERE device = ?1 AND pid != " +
          std::to_string(own_pid) + " AND time_ns = (SELECT time_ns FROM " +
          prefix_ +
          "device_process WHERE device = ?1 ORDER BY abs(time_ns - ?2) LIMIT "
          "1)",
      event.device, event.time);
  ASSIGN_OR_RETURN(
      Statement row,
      store_->db().Prepare(
          "INSERT INTO store_oom (source, evidence, process, pid, device, "
          "time, requested_bytes, live_bytes, gap_bytes, survived, "
          "largest_free_bytes, free_bytes, total_bytes, other_bytes, "
          "allocated_bytes, unused_bytes, reserved_bytes, "
          "reserved_unallocated_bytes, rank) VALUES ('trace', "
          "'memory_event:' || ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
          "?, ?, "
          "(SELECT rank FROM " +
          prefix_ + "process))"));
  row.Bind(0, event.id).Bind(1, int64_t{process_}).Bind(2, own_pid);
  row.Bind(3, int64_t{event.device}).Bind(4, event.time + offset_);
  row.Bind(5, event.bytes).Bind(6, refusal.live_bytes);
  row.Bind(7, refusal.gaps.total).Bind(8, int64_t{refusal.survived});
  const FreeSpace space =
      refusal.of_pool ? MeasurePoolFree(refusal.gaps, free_bytes)
                      : MeasureFree(refusal.gaps, refusal.live_bytes,
                                    free_bytes, FreeAtStart(event.device));
  row.Bind(9, space.largest).Bind(14, space.unused);
  const std::optional<int64_t> known[] = {free_bytes, Capacity(event.device),
                                          others};
  for (int i = 0; i < 3; ++i) {
    if (known[i]) row.Bind(10 + i, *known[i]);
  }
  if (refusal.framework_bytes > 0) row.Bind(13, refusal.framework_bytes);
  if (refusal.of_pool) {
    row.Bind(15, refusal.live_bytes).Bind(16, refusal.gaps.total);
  }
  RETURN_IF_ERROR(row.Run());
  return WriteHeap(refusal, store_->db().LastInsertId());
}

Status ProcessAnalysis::WriteRefusals() {
  ASSIGN_OR_RETURN(
      const int64_t own_pid,
      store_->db().QueryInt("SELECT pid FROM " + prefix_ + "process"));
  for (const Refusal& refusal : replay_.refusals()) {
    RETURN_IF_ERROR(WriteRefusal(refusal, own_pid));
  }
  return Status::Ok();
}

Expected<int64_t> ProcessAnalysis::Run() {
  ASSIGN_OR_RETURN(const int64_t events, ReplayEvents());
  RETURN_IF_ERROR(WriteSites());
  RETURN_IF_ERROR(WriteUsage());
  RETURN_IF_ERROR(steps_.Write(store_, process_, offset_));
  RETURN_IF_ERROR(WriteLeaks());
  RETURN_IF_ERROR(WriteRefusals());
  return events;
}

}  // namespace

Expected<MemorySummary> Analyze(facts::Store* store,
                                const AnalyzeOptions& options) {
  MemorySummary summary;
  int64_t next_site = 1;
  for (int process = 1; process <= store->traces(); ++process) {
    RETURN_IF_ERROR(store->db().Execute("BEGIN"));
    ProcessAnalysis analysis(store, process, options, &next_site);
    auto events = analysis.Run();
    RETURN_IF_ERROR(store->db().Execute("COMMIT"));
    RETURN_IF_ERROR(events.status());
    summary.events += *events;
  }
  return summary;
}

}  // namespace inquest::memory
