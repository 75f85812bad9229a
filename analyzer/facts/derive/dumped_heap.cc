#include "analyzer/facts/derive/dumped_heap.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/optional_column.h"

namespace inquest::facts {
namespace {

struct Chunk {
  int64_t address = 0;
  int64_t bytes = 0;
  bool free = false;
  std::string op;

  bool operator==(const Chunk& other) const {
    return address == other.address && bytes == other.bytes &&
           free == other.free;
  }
};

// A refusal that a log tells of, and the chunks dumped below it.
struct Dump {
  int64_t oom = 0;
  int64_t source = 0;
  int64_t line = 0;
  std::optional<int64_t> rank;
  std::vector<Chunk> chunks;
};

Expected<std::vector<Dump>> ReadRefusals(Store* store) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT o.oom, e.source, e.line, o.rank FROM store_oom AS o JOIN "
          "store_log_event AS e ON o.evidence = 'log_event:' || e.id WHERE "
          "o.source = 'log' ORDER BY e.source, e.line, o.oom"));
  std::vector<Dump> dumps;
  while (row.Step()) {
    dumps.push_back({row.Int(0), row.Int(1), row.Int(2), Column(row, 3), {}});
  }
  RETURN_IF_ERROR(row.status());
  return dumps;
}

// The last one above the line that the same rank may have printed.
Dump* RefusalAbove(std::vector<Dump>* dumps, int64_t source, int64_t line,
                   std::optional<int64_t> rank) {
  const auto after =
      std::partition_point(dumps->begin(), dumps->end(), [&](const Dump& dump) {
        return std::pair(dump.source, dump.line) < std::pair(source, line);
      });
  for (auto at = after; at != dumps->begin();) {
    --at;
    if (at->source != source) return nullptr;
    if (!rank || !at->rank || *rank == *at->rank) return &*at;
  }
  return nullptr;
}

Status HandOut(Store* store, std::vector<Dump>* dumps) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT source, line, rank, address, bytes, free, "
                          "coalesce(op, '') FROM store_log_chunk ORDER BY "
                          "source, line"));
  while (row.Step()) {
    Dump* dump = RefusalAbove(dumps, row.Int(0), row.Int(1), Column(row, 2));
    if (dump == nullptr) continue;
    dump->chunks.push_back(
        {row.Int(3), row.Int(4), row.Int(5) != 0, std::string(row.Text(6))});
  }
  return row.status();
}

// In the order of addresses, each once, as stdout and stderr may both have it.
// False where they cannot be of one heap.
bool Sort(std::vector<Chunk>* chunks) {
  std::stable_sort(
      chunks->begin(), chunks->end(),
      [](const Chunk& a, const Chunk& b) { return a.address < b.address; });
  chunks->erase(std::unique(chunks->begin(), chunks->end()), chunks->end());
  for (size_t i = 1; i < chunks->size(); ++i) {
    const Chunk& before = (*chunks)[i - 1];
    if (before.bytes > (*chunks)[i].address - before.address) return false;
  }
  return true;
}

Status WriteBlocks(Store* store, const Dump& dump) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("INSERT INTO store_heap_block (oom, address, bytes, "
                          "state, op) VALUES (?, ?, ?, ?, ?)"));
  for (const Chunk& chunk : dump.chunks) {
    row.Bind(0, dump.oom).Bind(1, chunk.address).Bind(2, chunk.bytes);
    row.Bind(3, chunk.free ? "free" : "live");
    if (chunk.op.empty()) {
      row.BindNull(4);
    } else {
      row.Bind(4, chunk.op);
    }
    RETURN_IF_ERROR(row.Run());
  }
  return Status::Ok();
}

// What the allocator itself says of its live bytes is kept.
Status WriteSums(Store* store, const Dump& dump) {
  int64_t live = 0;
  int64_t gaps = 0;
  int64_t largest = 0;
  for (const Chunk& chunk : dump.chunks) {
    (chunk.free ? gaps : live) += chunk.bytes;
    if (chunk.free) largest = std::max(largest, chunk.bytes);
  }
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("UPDATE store_oom SET gap_bytes = ?, "
                          "largest_free_bytes = ?, in_use_bytes = "
                          "coalesce(in_use_bytes, ?) WHERE oom = ?"));
  return row.Bind(0, gaps)
      .Bind(1, largest)
      .Bind(2, live)
      .Bind(3, dump.oom)
      .Run();
}

// The dumps that are files of their own. What was asked for they do not tell.
Status CollectDumpFiles(Store* store) {
  RETURN_IF_ERROR(store->db().Execute(
      "INSERT INTO store_oom (source, evidence, process, device, time, "
      "gap_bytes, largest_free_bytes, in_use_bytes, reserved_bytes, "
      "max_in_use_bytes, num_allocs, max_alloc_bytes) SELECT 'trace', "
      "'pool_statistics:' || process, process, device, time, free_bytes, "
      "largest_free_bytes, in_use_bytes, chunk_bytes, max_in_use_bytes, "
      "num_allocs, max_alloc_bytes FROM pool_statistics"));
  return store->db().Execute(
      "INSERT INTO store_heap_block (oom, address, bytes, state, op) SELECT "
      "o.oom, c.address, c.bytes, c.state, nullif(c.op, '') FROM pool_chunk AS "
      "c JOIN store_oom AS o ON o.process = c.process AND o.evidence LIKE "
      "'pool_statistics:%' ORDER BY c.address");
}

}  // namespace

Status CollectDumpedHeaps(Store* store) {
  RETURN_IF_ERROR(CollectDumpFiles(store));
  ASSIGN_OR_RETURN(std::vector<Dump> dumps, ReadRefusals(store));
  RETURN_IF_ERROR(HandOut(store, &dumps));
  for (Dump& dump : dumps) {
    if (dump.chunks.empty() || !Sort(&dump.chunks)) continue;
    RETURN_IF_ERROR(WriteBlocks(store, dump));
    RETURN_IF_ERROR(WriteSums(store, dump));
  }
  return Status::Ok();
}

}  // namespace inquest::facts
