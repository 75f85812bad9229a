// SPDX-License-Identifier: Apache-2.0
// Reads histories from memory_event; read_blocks.cc from framework_block.
#include "analyzer/whatif/history/read_history.h"

#include "analyzer/memory/steps/steps.h"
#include "analyzer/whatif/history/trace_reader.h"
#include "trace/records/event.h"
#include "trace/store/event_rows.h"

namespace inquest::whatif {
namespace {

using trace::MemoryKind;
using trace::MemoryOp;

constexpr int kOutOfMemory = 2;  // CUDA_ERROR_OUT_OF_MEMORY

struct CheckpointBlock {
  trace::Layer layer = trace::Layer::kDevice;
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t stack = 0;
  MemoryKind kind = MemoryKind::kDevice;
};

// Whether it is device memory requested from the driver.
bool IsOfDriver(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kDevice:
    case MemoryKind::kAsync:
    case MemoryKind::kPhysical:
    case MemoryKind::kArray:
      return true;
    default:
      return false;
  }
}

// Handles get keys that are not addresses.
uint64_t KeyOf(uint64_t address, MemoryKind kind) {
  const bool handle =
      kind == MemoryKind::kPhysical || kind == MemoryKind::kArray;
  return handle ? address | (uint64_t{1} << 63) : address;
}

class EventReader {
 public:
  EventReader(TraceReader* reader, Level level)
      : reader_(reader),
        level_(level),
        steps_(
            {[this] { return live_bytes_; },
             [this](int64_t step) { EndStep(step); }},
            [reader](int64_t stack) { return reader->frames().All(stack); }) {}

  Status Read() {
    std::optional<int64_t> folded;
    if (reader_->HasTable("checkpoint")) {
      ASSIGN_OR_RETURN(folded, ReadBefore());
    }
    memory::KeptEvents events(&reader_->db(), reader_->prefix());
    RETURN_IF_ERROR(
        steps_.Read(&reader_->db(), reader_->prefix(), folded, &events));
    RETURN_IF_ERROR(ReadEvents(folded.value_or(0)));
    steps_.Finish();
    return Status::Ok();
  }

 private:
  Expected<int64_t> ReadBefore();
  void AddBefore(int device, const CheckpointBlock& block);
  Status ReadSegments();
  Status ReadEvents(int64_t after);
  void Add(const trace::MemoryEvent& event, const QueueKey& queue);
  void AddOfPool(const trace::MemoryEvent& event, const QueueKey& queue,
                 HistoryBuilder* builder);
  void AddOfDriver(const trace::MemoryEvent& event, const QueueKey& queue,
                   HistoryBuilder* builder);
  void EndStep(int64_t step);

  TraceReader* reader_;
  Level level_;
  memory::Steps steps_;
  int64_t live_bytes_ = 0;  // always 0: what steps hold is not needed here
};

void EventReader::EndStep(int64_t step) {
  for (auto& [device, builder] : reader_->builders()) builder->EndStep(step);
}

void EventReader::AddBefore(int device, const CheckpointBlock& block) {
  HistoryBuilder* builder = reader_->Builder(device);
  if (builder == nullptr) return;
  const bool grows = block.kind == MemoryKind::kMapped;
  if (level_ == Level::kDriver) {
    if (IsOfDriver(block.kind)) {
      builder->AddBlockBefore(KeyOf(block.address, block.kind), block.bytes,
                              block.stack);
    }
  } else if (block.layer == trace::Layer::kFramework) {
    builder->AddBlockBefore(block.address, block.bytes, block.stack);
  } else if (grows || block.kind == MemoryKind::kSegment) {
    builder->AddSegmentBefore(block.address, block.bytes, grows);
  }
}

Expected<int64_t> EventReader::ReadBefore() {
  const std::string from = " FROM " + reader_->prefix();
  ASSIGN_OR_RETURN(
      const int64_t event,
      reader_->db().QueryInt("SELECT event" + from + "checkpoint"));
  if (event == 0) return 0;
  ASSIGN_OR_RETURN(
      Statement row,
      reader_->db().Prepare(
          "SELECT device, layer, address, bytes, stack, kind" + from +
          "checkpoint_block ORDER BY device, layer, "
          "address"));
  int device = 0;
  for (CheckpointBlock one; row.Next(&device, &one.layer, &one.address,
                                     &one.bytes, &one.stack, &one.kind);) {
    AddBefore(device, one);
  }
  RETURN_IF_ERROR(row.status());
  RETURN_IF_ERROR(ReadSegments());
  return event;
}

// The pool's state shows who may use the segments that exist at the end.
Status EventReader::ReadSegments() {
  if (!reader_->HasTable("pool_segment")) return Status::Ok();
  ASSIGN_OR_RETURN(Statement row, reader_->db().Prepare(
                                      "SELECT device, address, bytes, stream, "
                                      "pool <> '0.0', type = 'small' FROM " +
                                      reader_->prefix() + "pool_segment"));
  int device = 0;
  uint64_t address = 0;
  int64_t bytes = 0;
  QueueKey queue;
  bool is_private = false;
  bool small = false;
  while (
      row.Next(&device, &address, &bytes, &queue.stream, &is_private, &small)) {
    HistoryBuilder* builder = reader_->Builder(device);
    if (builder == nullptr) continue;
    queue.pool = is_private ? -1 : 0;  // the history does not name the pool
    builder->SetSegmentOwner(address, bytes, queue, small);
  }
  return row.status();
}

Status EventReader::ReadEvents(int64_t after) {
  ASSIGN_OR_RETURN(
      Statement row,
      reader_->db().Prepare("SELECT " + std::string(trace::kEventColumns) +
                            ", stream, pool FROM " + reader_->prefix() +
                            "memory_event WHERE id > ? ORDER BY id"));
  row.BindAll(after);
  const int stream = row.columns() - 2;
  const auto first_step = reader_->first_step();
  bool begun = !first_step;
  while (!reader_->Full() && row.Step()) {
    const trace::MemoryEvent event = trace::EventOf(row);
    if (!begun && event.time >= *first_step) {
      begun = true;
      for (auto& [device, one] : reader_->builders()) one->BeginSteps();
    }
    steps_.Before(event);
    QueueKey queue;
    row.ReadColumn(stream, &queue.stream);
    row.ReadColumn(stream + 1, &queue.pool);
    Add(event, queue);
  }
  return row.status();
}

void EventReader::Add(const trace::MemoryEvent& event, const QueueKey& queue) {
  HistoryBuilder* builder = reader_->Builder(event.device);
  if (builder == nullptr) return;
  if (level_ == Level::kPool) {
    AddOfPool(event, queue, builder);
  } else {
    AddOfDriver(event, {}, builder);
  }
}

void EventReader::AddOfPool(const trace::MemoryEvent& event,
                            const QueueKey& queue, HistoryBuilder* builder) {
  const auto op = static_cast<MemoryOp>(event.op);
  const auto kind = static_cast<MemoryKind>(event.kind);
  const bool alloc = op == MemoryOp::kAlloc;
  if (!alloc && op != MemoryOp::kFree) return;
  if (kind == MemoryKind::kFramework) {
    reader_->Count();
    if (!alloc) return builder->Free(event.address);
    if (event.result == 0) {
      return builder->Allocate(event.address, event.bytes, queue, event.stack);
    }
    auto room = reader_->FreeAt(event.device, event.time);
    if (room && builder->reserved() == 0) room.reset();  // not of a known pool
    if (room) room = *room + builder->reserved();
    return builder->Refuse(event.bytes, queue, room);
  }
  if (kind != MemoryKind::kSegment && kind != MemoryKind::kMapped) return;
  if (!alloc) return builder->RemoveSegment(event.address);
  if (event.result == 0) builder->AddSegment(event.address, event.bytes);
}

void EventReader::AddOfDriver(const trace::MemoryEvent& event,
                              const QueueKey& queue, HistoryBuilder* builder) {
  const auto op = static_cast<MemoryOp>(event.op);
  if (op == MemoryOp::kContextDestroy) {
    return builder->DestroyContext(event.context);
  }
  const auto kind = static_cast<MemoryKind>(event.kind);
  if (!IsOfDriver(kind)) return;
  const uint64_t key = KeyOf(event.address, kind);
  if (op == MemoryOp::kFree) {
    reader_->Count();
    builder->Free(key);
  } else if (op == MemoryOp::kFreeFailed) {
    builder->UndoFree(key);
  } else if (op == MemoryOp::kAlloc && event.result == 0) {
    reader_->Count();
    builder->Allocate(key, event.bytes, queue, event.stack, event.context);
  } else if (op == MemoryOp::kAlloc && event.result == kOutOfMemory) {
    builder->Refuse(event.bytes, queue,
                    reader_->FreeAt(event.device, event.time));
  }
}

Expected<bool> HasAny(TraceReader* reader, const std::string& select) {
  ASSIGN_OR_RETURN(Statement row, reader->db().Prepare(select + " LIMIT 1"));
  const bool any = row.Step();
  RETURN_IF_ERROR(row.status());
  return any;
}

Expected<bool> HasBlocks(TraceReader* reader) {
  if (!reader->HasTable("framework_block")) return false;
  return HasAny(reader,
                "SELECT 1 FROM " + reader->prefix() + "framework_block");
}

Expected<bool> HasPool(TraceReader* reader) {
  if (reader->HasTable("checkpoint")) {
    ASSIGN_OR_RETURN(const bool before,
                     HasAny(reader, "SELECT 1 FROM " + reader->prefix() +
                                        "checkpoint_block WHERE layer = 2"));
    if (before) return true;
  }
  return HasAny(reader, "SELECT 1 FROM " + reader->prefix() +
                            "memory_event WHERE kind = 9");
}

}  // namespace

Expected<std::vector<History>> ReadHistories(facts::Store* store, int process,
                                             const ReadLimits& limits) {
  RETURN_IF_ERROR(store->NeedEvents(process));
  TraceReader reader(store, process, limits);
  RETURN_IF_ERROR(reader.Prepare());
  // In files that have both, the events are the whole history.
  ASSIGN_OR_RETURN(const bool pool, HasPool(&reader));
  ASSIGN_OR_RETURN(const bool blocks, HasBlocks(&reader));
  if (blocks && !pool) {
    RETURN_IF_ERROR(ReadBlocks(&reader));
    return reader.Finish(Level::kPool);
  }
  const Level level = pool ? Level::kPool : Level::kDriver;
  RETURN_IF_ERROR(EventReader(&reader, level).Read());
  return reader.Finish(level);
}

}  // namespace inquest::whatif
