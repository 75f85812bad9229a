// SPDX-License-Identifier: Apache-2.0
// Writes the history in time order; the rest of the trace is in
// snapshot_state.cc.
#include "analyzer/importers/torch_snapshot/snapshot_trace.h"

#include <algorithm>
#include <optional>

#include "analyzer/importers/common/trace_file.h"
#include "analyzer/importers/torch_snapshot/late_frees.h"
#include "analyzer/importers/torch_snapshot/live_before.h"
#include "analyzer/importers/torch_snapshot/snapshot_state.h"
#include "trace/records/result_meaning.h"

namespace inquest::importers {
namespace {

using trace::kCudaOutOfMemory;
using trace::MemoryKind;
using trace::MemoryOp;

// One device's history, entry by entry.
class Cursor {
 public:
  Cursor(TorchSnapshot* snapshot, int64_t device)
      : snapshot_(snapshot), device_(device) {
    const auto index = static_cast<size_t>(device);
    if (index < snapshot->histories.size()) {
      stretches_ = snapshot->histories[index];
    }
    Advance();
  }
  const PoolEvent* event() const { return event_; }
  int64_t device() const { return device_; }
  void Advance() {
    event_ = reader_ ? reader_->Next() : nullptr;
    while (event_ == nullptr && next_ < stretches_.size()) {
      const auto [from, to] = stretches_[next_++];
      reader_.emplace(&snapshot_->events, from, to);
      event_ = reader_->Next();
    }
  }

 private:
  TorchSnapshot* snapshot_;
  int64_t device_;
  std::vector<std::pair<uint64_t, uint64_t>> stretches_;
  size_t next_ = 0;
  std::optional<EventSpool::Reader> reader_;
  const PoolEvent* event_ = nullptr;
};

class HistoryWriter {
 public:
  HistoryWriter(TraceFile* file, std::vector<HeldRanges> held)
      : file_(file), held_(std::move(held)), late_(file) {}

  Status Add(const PoolEvent& event, int64_t device) {
    ++sequence_;
    device_ = device;
    event_ = &event;
    // Without times the entry's index in the history is used.
    time_ns_ = (event.time_us != 0 ? event.time_us : sequence_) * 1000;
    late_.Next(device);
    switch (event.action) {
      case PoolAction::kAlloc:
        return AddEvent(MemoryOp::kAlloc, MemoryKind::kFramework, event.address,
                        event.bytes);
      case PoolAction::kFreeRequested:
        late_.Request(device, event, time_ns_, id_);
        return Status::Ok();
      case PoolAction::kFreeCompleted:
        late_.Complete(device, event.address, time_ns_, id_ + 1);
        [[fallthrough]];
      case PoolAction::kFree:
        return AddEvent(MemoryOp::kFree, MemoryKind::kFramework, event.address,
                        0);
      case PoolAction::kSegmentAlloc:
        return Take(kWholeSegment);
      case PoolAction::kSegmentMap:
        return Take(kMappedPart);
      case PoolAction::kSegmentFree:
      case PoolAction::kSegmentUnmap:
        return GiveBack();
      case PoolAction::kOutOfMemory:
        return Refuse();
      default:
        return Status::Ok();
    }
  }
  int64_t last_ns() const { return time_ns_; }
  void Finish() { late_.Finish(); }

 private:
  Status AddEvent(MemoryOp op, MemoryKind kind, uint64_t address, int64_t bytes,
                  int64_t result = 0) {
    TraceEvent row;
    row.id = ++id_;
    row.time_ns = time_ns_;
    row.op = op;
    row.kind = kind;
    row.device = device_;
    row.stream = event_->stream;
    row.pool = event_->pool;
    row.address = address;
    row.bytes = bytes;
    row.result = result;
    row.stack = event_->stack;
    return file_->Add(row);
  }

  HeldRanges& held() { return held_[static_cast<size_t>(device_)]; }

  static MemoryKind KindOf(const AddressRange& range) {
    return range.tag == kMappedPart ? MemoryKind::kMapped
                                    : MemoryKind::kSegment;
  }

  Status Hold(const AddressRange& range) {
    held().Add(range);
    return AddEvent(MemoryOp::kAlloc, KindOf(range), range.address,
                    range.bytes);
  }

  Status Take(uint32_t tag) {
    return Hold({event_->address, event_->bytes, tag});
  }

  // A growing segment may be unmapped in different pieces than it was mapped.
  Status GiveBack() {
    const auto removal = held().Remove(event_->address, event_->bytes);
    for (const AddressRange& range : removal.gone) {
      RETURN_IF_ERROR(
          AddEvent(MemoryOp::kFree, KindOf(range), range.address, 0));
    }
    for (const AddressRange& range : removal.rest) {
      RETURN_IF_ERROR(Hold(range));
    }
    return Status::Ok();
  }

  Status Refuse() {
    // The address field of a refusal is the free memory.
    file_->AddRow("device_memory", time_ns_, device_, event_->address, 0,
                  "failure");
    return AddEvent(MemoryOp::kAlloc, MemoryKind::kFramework, 0, event_->bytes,
                    kCudaOutOfMemory);
  }

  TraceFile* file_;
  std::vector<HeldRanges> held_;  // by device
  LateFrees late_;
  const PoolEvent* event_ = nullptr;
  int64_t device_ = 0;
  int64_t time_ns_ = 0;
  int64_t sequence_ = 0;
  int64_t id_ = kCheckpointEvent;
};

Cursor* Earliest(std::vector<Cursor>* cursors) {
  Cursor* earliest = nullptr;
  for (Cursor& cursor : *cursors) {
    if (cursor.event() == nullptr) continue;
    if (earliest == nullptr ||
        cursor.event()->time_us < earliest->event()->time_us) {
      earliest = &cursor;
    }
  }
  return earliest;
}

Expected<int64_t> WriteHistories(TorchSnapshot* snapshot,
                                 const std::vector<LiveBefore>& before,
                                 TraceFile* file) {
  std::vector<HeldRanges> held(before.size());
  std::vector<Cursor> cursors;
  for (size_t device = 0; device < before.size(); ++device) {
    for (const AddressRange& range : before[device].ranges) {
      held[device].Add(range);
    }
    cursors.emplace_back(snapshot, static_cast<int64_t>(device));
  }
  HistoryWriter writer(file, std::move(held));
  while (Cursor* cursor = Earliest(&cursors)) {
    RETURN_IF_ERROR(writer.Add(*cursor->event(), cursor->device()));
    cursor->Advance();
  }
  writer.Finish();
  return writer.last_ns();
}

int64_t FirstTime(const std::vector<LiveBefore>& all) {
  int64_t first = INT64_MAX;
  for (const LiveBefore& before : all) {
    if (before.first_us != 0) first = std::min(first, before.first_us);
  }
  return first == INT64_MAX ? 0 : first * 1000;
}

}  // namespace

Status WriteSnapshotTrace(TorchSnapshot* snapshot, const PickleTexts& texts,
                          const SnapshotFile& from, const std::string& path) {
  ASSIGN_OR_RETURN(TraceFile file, TraceFile::Create(path));
  TraceProcess process;
  process.rank = from.rank;
  file.Process(std::move(process));
  std::vector<LiveBefore> before;
  for (int64_t device = 0; device < DevicesOf(*snapshot); ++device) {
    before.push_back(FindLiveBefore(snapshot, device));
  }
  const int64_t first = FirstTime(before);
  SnapshotState state(*snapshot, texts, &file);
  state.WriteLiveBefore(before, first);
  ASSIGN_OR_RETURN(const int64_t last_entry,
                   WriteHistories(snapshot, before, &file));
  const int64_t last = std::max(first, last_entry);
  state.WriteStacks();
  state.WritePool();
  state.WriteSteps();
  state.WriteSettings();
  state.WriteCoverage(before, first, last, from.fault);
  return file.Finish(first, last, "torch-snapshot");
}

}  // namespace inquest::importers
