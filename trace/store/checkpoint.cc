#include "trace/store/checkpoint.h"

#include "trace/store/bind.h"

namespace inquest::trace {
namespace {

constexpr Layer kLayers[] = {Layer::kDevice, Layer::kHandles,
                             Layer::kFramework};

Expected<Checkpoint> ReadHead(Database* db, const std::string& prefix,
                              Ledger* ledger) {
  ASSIGN_OR_RETURN(Statement row,
                   db->Prepare("SELECT * FROM " + prefix + "checkpoint"));
  Checkpoint checkpoint;
  if (!row.Step()) {
    RETURN_IF_ERROR(row.status());
    return checkpoint;
  }
  checkpoint = {row.Int(0), row.Int(1), row.Int(2)};
  LastFreed freed;
  freed.device = static_cast<int>(row.Int(3));
  freed.address = static_cast<uint64_t>(row.Int(4));
  freed.block = {row.Int(5),
                 row.Int(6),
                 row.Int(7),
                 row.Int(8),
                 static_cast<uint64_t>(row.Int(9)),
                 static_cast<uint8_t>(row.Int(10))};
  ledger->Resume(freed);
  return checkpoint;
}

Status ReadHeaps(Database* db, const std::string& prefix, Ledger* ledger) {
  ASSIGN_OR_RETURN(Statement row,
                   db->Prepare("SELECT * FROM " + prefix + "checkpoint_heap"));
  while (row.Step()) {
    HeapTotals totals;
    totals.lowest = static_cast<uint64_t>(row.Int(2));
    totals.highest = static_cast<uint64_t>(row.Int(3));
    totals.live_bytes = row.Int(4);
    totals.peak_bytes = row.Int(5);
    totals.peak_time = row.Int(6);
    totals.allocations = row.Int(7);
    totals.frees = row.Int(8);
    totals.unknown_frees = row.Int(9);
    totals.overlaps = row.Int(10);
    ledger->Device(static_cast<int>(row.Int(0)))
        .layer(static_cast<Layer>(row.Int(1)))
        .Resume(totals);
  }
  return row.status();
}

Status ReadDevices(Database* db, const std::string& prefix, Ledger* ledger) {
  ASSIGN_OR_RETURN(Statement row, db->Prepare("SELECT * FROM " + prefix +
                                              "checkpoint_device"));
  while (row.Step()) {
    DeviceState& state = ledger->Device(static_cast<int>(row.Int(0)));
    state.failed = row.Int(1);
    state.peak_bytes = row.Int(2);
    state.peak_time = row.Int(3);
  }
  return row.status();
}

// An older trace lacks the tables, and has no such memory to tell of.
Status ReadHolds(Database* db, const std::string& prefix, MemoryHolds* holds) {
  auto mapping = db->Prepare("SELECT address, handle FROM " + prefix +
                             "checkpoint_mapping");
  auto hold =
      db->Prepare("SELECT handle, holds FROM " + prefix + "checkpoint_hold");
  if (!mapping.ok() || !hold.ok()) return Status::Ok();
  while (mapping->Step()) {
    holds->mappings()[static_cast<uint64_t>(mapping->Int(0))] =
        static_cast<uint64_t>(mapping->Int(1));
  }
  while (hold->Step()) {
    holds->holds()[static_cast<uint64_t>(hold->Int(0))] = hold->Int(1);
  }
  RETURN_IF_ERROR(mapping->status());
  return hold->status();
}

Status WriteHolds(Database* db, const MemoryHolds& holds) {
  RETURN_IF_ERROR(db->Execute(
      "DELETE FROM checkpoint_mapping; DELETE FROM checkpoint_hold"));
  ASSIGN_OR_RETURN(Statement mapping,
                   db->Prepare("INSERT INTO checkpoint_mapping VALUES(?,?)"));
  for (const auto& [address, handle] : holds.mappings()) {
    mapping.Bind(0, Signed(address)).Bind(1, Signed(handle));
    RETURN_IF_ERROR(mapping.Run());
  }
  ASSIGN_OR_RETURN(Statement hold,
                   db->Prepare("INSERT INTO checkpoint_hold VALUES(?,?)"));
  for (const auto& [handle, count] : holds.holds()) {
    RETURN_IF_ERROR(hold.Bind(0, Signed(handle)).Bind(1, count).Run());
  }
  return Status::Ok();
}

Status WriteHead(Database* db, const Checkpoint& checkpoint,
                 const LastFreed& freed) {
  RETURN_IF_ERROR(db->Execute("DELETE FROM checkpoint"));
  ASSIGN_OR_RETURN(
      Statement row,
      db->Prepare("INSERT INTO checkpoint VALUES(?,?,?,?,?,?,?,?,?,?,?)"));
  row.Bind(0, checkpoint.event).Bind(1, checkpoint.time);
  row.Bind(2, checkpoint.folded).Bind(3, int64_t{freed.device});
  row.Bind(4, Signed(freed.address)).Bind(5, freed.block.bytes);
  row.Bind(6, freed.block.event).Bind(7, freed.block.time);
  row.Bind(8, freed.block.stack).Bind(9, Signed(freed.block.context));
  return row.Bind(10, int64_t{freed.block.kind}).Run();
}

Status WriteHeap(Statement* row, int device, Layer layer,
                 const HeapTotals& totals) {
  row->Bind(0, int64_t{device}).Bind(1, static_cast<int64_t>(layer));
  row->Bind(2, Signed(totals.lowest)).Bind(3, Signed(totals.highest));
  row->Bind(4, totals.live_bytes).Bind(5, totals.peak_bytes);
  row->Bind(6, totals.peak_time).Bind(7, totals.allocations);
  row->Bind(8, totals.frees).Bind(9, totals.unknown_frees);
  return row->Bind(10, totals.overlaps).Run();
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
  RETURN_IF_ERROR(WriteHead(db, checkpoint, ledger.last_freed()));
  RETURN_IF_ERROR(WriteHolds(db, ledger.holds()));
  ASSIGN_OR_RETURN(Statement heap,
                   db->Prepare("INSERT OR REPLACE INTO checkpoint_heap "
                               "VALUES(?,?,?,?,?,?,?,?,?,?,?)"));
  ASSIGN_OR_RETURN(Statement row,
                   db->Prepare("INSERT OR REPLACE INTO checkpoint_device "
                               "VALUES(?,?,?,?)"));
  for (const auto& [device, state] : ledger.devices()) {
    for (const Layer layer : kLayers) {
      RETURN_IF_ERROR(
          WriteHeap(&heap, device, layer, state.layer(layer).totals()));
    }
    row.Bind(0, int64_t{device}).Bind(1, state.failed);
    RETURN_IF_ERROR(
        row.Bind(2, state.peak_bytes).Bind(3, state.peak_time).Run());
  }
  return Status::Ok();
}

}  // namespace inquest::trace
