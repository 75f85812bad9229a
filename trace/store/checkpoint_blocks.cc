// Blocks that lie in the table checkpoint_block.
#include <algorithm>

#include "trace/store/bind.h"
#include "trace/store/checkpoint.h"

namespace inquest::trace {
namespace {

constexpr int kFirstField = 3;  // behind device, layer, address

Block BlockOf(const Statement& row) {
  Block block;
  block.bytes = row.Int(kFirstField);
  block.event = row.Int(kFirstField + 1);
  block.time = row.Int(kFirstField + 2);
  block.stack = row.Int(kFirstField + 3);
  block.context = static_cast<uint64_t>(row.Int(kFirstField + 4));
  block.kind = static_cast<uint8_t>(row.Int(kFirstField + 5));
  return block;
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
    row->Bind(2, Signed(address));
    std::optional<Block> found;
    if (row->Step()) found = BlockOf(*row);
    Done(row);
    return found;
  }

  void Put(uint64_t address, const Block& block) override {
    Statement* row = Get(&put_,
                         "INSERT OR REPLACE INTO checkpoint_block "
                         "VALUES(?,?,?,?,?,?,?,?,?)");
    if (row == nullptr) return;
    row->Bind(2, Signed(address));
    row->Bind(kFirstField, block.bytes).Bind(kFirstField + 1, block.event);
    row->Bind(kFirstField + 2, block.time).Bind(kFirstField + 3, block.stack);
    row->Bind(kFirstField + 4, Signed(block.context));
    row->Bind(kFirstField + 5, int64_t{block.kind});
    row->Step();
    Done(row);
  }

  void Erase(uint64_t address) override {
    Statement* row = Get(&erase_,
                         "DELETE FROM checkpoint_block WHERE device=? AND "
                         "layer=? AND address=?");
    if (row == nullptr) return;
    row->Bind(2, Signed(address)).Step();
    Done(row);
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
    row->Bind(2, Signed(end));
    std::optional<std::pair<uint64_t, Block>> found;
    if (row->Step()) {
      const auto first = static_cast<uint64_t>(row->Int(2));
      const Block block = BlockOf(*row);
      const uint64_t last = first + static_cast<uint64_t>(block.bytes);
      // The table's order is that of signed numbers.
      if (first < end && (first >= address || last > address)) {
        found = {{first, block}};
      }
    }
    Done(row);
    return found;
  }

  void Visit(const Visitor& visit) const override {
    Statement* row = Get(&visit_,
                         "SELECT * FROM checkpoint_block WHERE device=? AND "
                         "layer=? ORDER BY address<0, address");
    if (row == nullptr) return;
    while (row->Step()) {
      visit(static_cast<uint64_t>(row->Int(2)), BlockOf(*row));
    }
    Done(row);
  }

 private:
  Statement* Get(Statement* slot, std::string_view sql) const {
    if (slot->raw() == nullptr) {
      Expected<Statement> made = db_->Prepare(sql);
      if (!made.ok()) {
        Note(made.status());
        return nullptr;
      }
      *slot = made.Take();
    }
    slot->Bind(0, device_).Bind(1, layer_);
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
  ASSIGN_OR_RETURN(Statement row,
                   db->Prepare("SELECT * FROM " + prefix + "checkpoint_block"));
  while (row.Step()) {
    DeviceState& state = ledger->Device(static_cast<int>(row.Int(0)));
    state.layer(static_cast<Layer>(row.Int(1)))
        .blocks()
        .Put(static_cast<uint64_t>(row.Int(2)), BlockOf(row));
  }
  return row.status();
}

}  // namespace inquest::trace
