// SPDX-License-Identifier: Apache-2.0
#include "trace/store/checkpoint.h"

#include "base/rows.h"

namespace inquest::trace {
namespace {

constexpr Layer kLayers[] = {Layer::kDevice, Layer::kHandles,
                             Layer::kFramework};

struct HeadRow {
  Checkpoint checkpoint;
  LastFreed freed;
  template <class V>
  void Columns(V& v) {
    v("event", checkpoint.event);
    v("time_ns", checkpoint.time);
    v("folded", checkpoint.folded);
    v("freed_device", freed.device);
    v("freed_address", freed.address);
    v("freed_bytes", freed.block.bytes);
    v("freed_event", freed.block.event);
    v("freed_time_ns", freed.block.time);
    v("freed_stack", freed.block.stack);
    v("freed_context", freed.block.context);
    v("freed_kind", freed.block.kind);
  }
};

struct HeapRow {
  int device = 0;
  Layer layer = Layer::kDevice;
  HeapTotals totals;
  template <class V>
  void Columns(V& v) {
    v("device", device);
    v("layer", layer);
    v("lowest", totals.lowest);
    v("highest", totals.highest);
    v("live_bytes", totals.live_bytes);
    v("peak_bytes", totals.peak_bytes);
    v("peak_ns", totals.peak_time);
    v("allocations", totals.allocations);
    v("frees", totals.frees);
    v("unknown_frees", totals.unknown_frees);
    v("overlaps", totals.overlaps);
  }
};

struct DeviceRow {
  int device = 0;
  int64_t failed = 0;
  int64_t peak_bytes = 0;
  int64_t peak_time = 0;
  template <class V>
  void Columns(V& v) {
    v("device", device);
    v("failed", failed);
    v("peak_bytes", peak_bytes);
    v("peak_ns", peak_time);
  }
};

Expected<Checkpoint> ReadHead(Database* db, const std::string& prefix,
                              Ledger* ledger) {
  ASSIGN_OR_RETURN(auto rows,
                   SelectRows<HeadRow>(db, "FROM " + prefix + "checkpoint"));
  HeadRow head;
  if (rows.Next(&head)) ledger->Resume(head.freed);
  RETURN_IF_ERROR(rows.statement().status());
  return head.checkpoint;
}

Status ReadHeaps(Database* db, const std::string& prefix, Ledger* ledger) {
  ASSIGN_OR_RETURN(
      auto rows, SelectRows<HeapRow>(db, "FROM " + prefix + "checkpoint_heap"));
  for (HeapRow row; rows.Next(&row);) {
    ledger->Device(row.device).layer(row.layer).Resume(row.totals);
  }
  return rows.statement().status();
}

Status ReadDevices(Database* db, const std::string& prefix, Ledger* ledger) {
  ASSIGN_OR_RETURN(auto rows, SelectRows<DeviceRow>(
                                  db, "FROM " + prefix + "checkpoint_device"));
  for (DeviceRow row; rows.Next(&row);) {
    DeviceState& state = ledger->Device(row.device);
    state.failed = row.failed;
    state.peak_bytes = row.peak_bytes;
    state.peak_time = row.peak_time;
  }
  return rows.statement().status();
}

// An older trace does not have the tables: it recorded no such memory.
Status ReadHolds(Database* db, const std::string& prefix, MemoryHolds* holds) {
  auto mapping = db->Prepare("SELECT address, handle FROM " + prefix +
                             "checkpoint_mapping");
  auto hold =
      db->Prepare("SELECT handle, holds FROM " + prefix + "checkpoint_hold");
  if (!mapping.ok() || !hold.ok()) return Status::Ok();
  uint64_t address = 0;
  uint64_t handle = 0;
  while (mapping->Next(&address, &handle)) holds->mappings()[address] = handle;
  int64_t count = 0;
  while (hold->Next(&handle, &count)) holds->holds()[handle] = count;
  RETURN_IF_ERROR(mapping->status());
  return hold->status();
}

Status WriteHolds(Database* db, const MemoryHolds& holds) {
  ASSIGN_OR_RETURN(Statement mapping,
                   db->Prepare("INSERT INTO checkpoint_mapping VALUES(?,?)"));
  for (const auto& [address, handle] : holds.mappings()) {
    RETURN_IF_ERROR(mapping.Run(address, handle));
  }
  ASSIGN_OR_RETURN(Statement hold,
                   db->Prepare("INSERT INTO checkpoint_hold VALUES(?,?)"));
  for (const auto& [handle, count] : holds.holds()) {
    RETURN_IF_ERROR(hold.Run(handle, count));
  }
  return Status::Ok();
}

Status WriteDevices(Database* db, const Ledger& ledger) {
  ASSIGN_OR_RETURN(auto heap, InsertInto<HeapRow>(db, "checkpoint_heap"));
  ASSIGN_OR_RETURN(auto row, InsertInto<DeviceRow>(db, "checkpoint_device"));
  for (const auto& [device, state] : ledger.devices()) {
    for (const Layer layer : kLayers) {
      RETURN_IF_ERROR(heap.Add({device, layer, state.layer(layer).totals()}));
    }
    RETURN_IF_ERROR(
        row.Add({device, state.failed, state.peak_bytes, state.peak_time}));
  }
  return Status::Ok();
}

}  // namespace

Expected<Checkpoint> ReadCheckpoint(Database* db, const std::string& prefix,
                                    Ledger* ledger) {
  ASSIGN_OR_RETURN(const Checkpoint checkpoint, ReadHead(db, prefix, ledger));
  RETURN_IF_ERROR(ReadHeaps(db, prefix, ledger));
  RETURN_IF_ERROR(ReadDevices(db, prefix, ledger));
  RETURN_IF_ERROR(ReadHolds(db, prefix, &ledger->holds()));
  return checkpoint;
}

Status WriteCheckpoint(Database* db, const Checkpoint& checkpoint,
                       const Ledger& ledger) {
  RETURN_IF_ERROR(db->Execute(
      "DELETE FROM checkpoint; DELETE FROM checkpoint_heap;"
      "DELETE FROM checkpoint_device; DELETE FROM checkpoint_mapping;"
      "DELETE FROM checkpoint_hold"));
  ASSIGN_OR_RETURN(auto head, InsertInto<HeadRow>(db, "checkpoint"));
  RETURN_IF_ERROR(head.Add({checkpoint, ledger.last_freed()}));
  RETURN_IF_ERROR(WriteHolds(db, ledger.holds()));
  return WriteDevices(db, ledger);
}

}  // namespace inquest::trace
