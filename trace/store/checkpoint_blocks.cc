// SPDX-License-Identifier: Apache-2.0
// Blocks kept in the table checkpoint_block.
#include <algorithm>

#include "base/rows.h"
#include "trace/store/checkpoint.h"

namespace inquest::trace {
namespace {

struct BlockRow {
  int device = 0;
  Layer layer = Layer::kDevice;
  uint64_t address = 0;
  Block block;
  template <class V>
  void Columns(V& v) {
    v("device", device);
    v("layer", layer);
    v("address", address);
    v("bytes", block.bytes);
    v("event", block.event);
    v("time_ns", block.time);
    v("stack", block.stack);
    v("context", block.context);
    v("kind", block.kind);
  }
};

// What follows device, layer and address in a row of all columns.
bool NextRow(Statement* rows, uint64_t* address, Block* block) {
  int device = 0;
  int layer = 0;
  return rows->Next(&device, &layer, address, &block->bytes, &block->event,
                    &block->time, &block->stack, &block->context, &block->kind);
}

class TableBlocks : public Blocks {
 public:
  TableBlocks(Database* db, int device, Layer layer, Status* failure)
      : db_(db),
        device_(device),
        layer_(static_cast<int64_t>(layer)),
        failure_(failure) {}

  std::optional<Block> Find(uint64_t address) const override {
    Statement* row = Get(&find_,
                         "SELECT * FROM checkpoint_block WHERE device=? AND "
                         "layer=? AND address=?");
    if (row == nullptr) return {};
    row->BindColumn(2, address);
    Block block;
    const bool found = NextRow(row, &address, &block);
    Done(row);
    return found ? std::optional(block) : std::nullopt;
  }

  void Put(uint64_t address, const Block& block) override {
    Statement* row = Get(&put_,
                         "INSERT OR REPLACE INTO checkpoint_block "
                         "VALUES(?,?,?,?,?,?,?,?,?)");
    if (row == nullptr) return;
    Note(row->Run(device_, layer_, address, block.bytes, block.event,
                  block.time, block.stack, block.context, block.kind));
  }

  void Erase(uint64_t address) override {
    Statement* row = Get(&erase_,
                         "DELETE FROM checkpoint_block WHERE device=? AND "
                         "layer=? AND address=?");
    if (row == nullptr) return;
    Note(row->Run(device_, layer_, address));
  }

  // No two blocks overlap, so only the last one that begins before the end can
  // reach into the range.
  std::optional<std::pair<uint64_t, Block>> FindIn(
      uint64_t address, int64_t bytes) const override {
    Statement* row = Get(&find_in_,
                         "SELECT * FROM checkpoint_block WHERE device=? AND "
                         "layer=? AND address<? ORDER BY address DESC LIMIT 1");
    if (row == nullptr) return {};
    const uint64_t end = address + std::max<uint64_t>(bytes, 1);
    row->BindColumn(2, end);
    uint64_t first = 0;
    Block block;
    const bool any = NextRow(row, &first, &block);
    Done(row);
    // The table orders addresses as signed numbers.
    const uint64_t last = first + static_cast<uint64_t>(block.bytes);
    const bool within = first < end && (first >= address || last > address);
    if (!any || !within) return {};
    return {{first, block}};
  }

  void Visit(const Visitor& visit) const override {
    Statement* row = Get(&visit_,
                         "SELECT * FROM checkpoint_block WHERE device=? AND "
                         "layer=? ORDER BY address<0, address");
    if (row == nullptr) return;
    uint64_t address = 0;
    for (Block block; NextRow(row, &address, &block);) visit(address, block);
    Done(row);
  }

 private:
  Statement* Get(Statement* slot, std::string_view sql) const {
    if (!slot->is_prepared()) {
      Expected<Statement> made = db_->Prepare(sql);
      if (!made.ok()) {
        Note(made.status());
        return nullptr;
      }
      *slot = made.Take();
    }
    slot->BindAll(device_, layer_);
    return slot;
  }
  void Note(const Status& status) const {
    if (failure_->ok() && !status.ok()) *failure_ = status;
  }
  void Done(Statement* row) const {
    Note(row->status());
    row->Reset();
  }

  Database* db_;
  int64_t device_;
  int64_t layer_;
  Status* failure_;
  mutable Statement find_, find_in_, visit_;
  Statement put_, erase_;
};

}  // namespace

std::unique_ptr<Blocks> BlocksInTable(Database* db, int device, Layer layer,
                                      Status* failure) {
  return std::make_unique<TableBlocks>(db, device, layer, failure);
}

Status ReadCheckpointBlocks(Database* db, const std::string& prefix,
                            Ledger* ledger) {
  ASSIGN_OR_RETURN(auto rows, SelectRows<BlockRow>(
                                  db, "FROM " + prefix + "checkpoint_block"));
  for (BlockRow row; rows.Next(&row);) {
    ledger->Device(row.device)
        .layer(row.layer)
        .blocks()
        .Put(row.address, row.block);
  }
  return rows.statement().status();
}

}  // namespace inquest::trace
