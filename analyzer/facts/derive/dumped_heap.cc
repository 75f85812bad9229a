// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/dumped_heap.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/facts/store/log_rows.h"
#include "base/rows.h"

namespace inquest::facts {
namespace {

// Whether both lines describe one chunk.
bool SameChunk(const LogChunk& a, const LogChunk& b) {
  return a.address == b.address && a.bytes == b.bytes && a.free == b.free;
}

// A refusal that a log reports, and the chunks dumped below it.
struct Dump {
  int64_t oom = 0;
  int64_t source = 0;
  int64_t line = 0;
  std::optional<int64_t> rank;
  std::vector<LogChunk> chunks;
};

Expected<std::vector<Dump>> ReadRefusals(Store* store) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT o.oom, e.source, e.line, o.rank FROM store_oom AS o JOIN "
          "store_log_event AS e ON o.evidence = 'log_event:' || e.id WHERE "
          "o.source = 'log' ORDER BY e.source, e.line, o.oom"));
  std::vector<Dump> dumps;
  for (Dump one; row.Next(&one.oom, &one.source, &one.line, &one.rank);) {
    dumps.push_back(one);
  }
  RETURN_IF_ERROR(row.status());
  return dumps;
}

// The last refusal above the chunk that the same rank may have printed.
Dump* RefusalAbove(std::vector<Dump>* dumps, const LogChunk& chunk) {
  const auto below =
      std::partition_point(dumps->begin(), dumps->end(), [&](const Dump& dump) {
        return std::pair(dump.source, dump.line) <
               std::pair(chunk.source, chunk.line);
      });
  for (auto at = below; at != dumps->begin();) {
    --at;
    if (at->source != chunk.source) return nullptr;
    if (!chunk.rank || !at->rank || *chunk.rank == *at->rank) return &*at;
  }
  return nullptr;
}

Status AssignChunks(Store* store, std::vector<Dump>* dumps) {
  ASSIGN_OR_RETURN(
      auto chunks,
      SelectRows<LogChunk>(&store->db(),
                           "FROM store_log_chunk ORDER BY source, line"));
  for (LogChunk chunk; chunks.Next(&chunk);) {
    Dump* dump = RefusalAbove(dumps, chunk);
    if (dump != nullptr) dump->chunks.push_back(chunk);
  }
  return chunks.statement().status();
}

// Sorts by address and removes duplicates, since stdout and stderr may both
// have the dump. False if the chunks cannot be of one heap.
bool Sort(std::vector<LogChunk>* chunks) {
  std::stable_sort(chunks->begin(), chunks->end(),
                   [](const LogChunk& a, const LogChunk& b) {
                     return a.address < b.address;
                   });
  chunks->erase(std::unique(chunks->begin(), chunks->end(), SameChunk),
                chunks->end());
  for (size_t i = 1; i < chunks->size(); ++i) {
    const LogChunk& before = (*chunks)[i - 1];
    if (before.bytes > (*chunks)[i].address - before.address) return false;
  }
  return true;
}

Status WriteBlocks(Store* store, const Dump& dump) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("INSERT INTO store_heap_block (oom, address, bytes, "
                          "state, op) VALUES (?, ?, ?, ?, ?)"));
  for (const LogChunk& chunk : dump.chunks) {
    RETURN_IF_ERROR(row.Run(dump.oom, chunk.address, chunk.bytes,
                            chunk.free ? "free" : "live", chunk.op));
  }
  return Status::Ok();
}

// Keeps the allocator's own number of live bytes.
Status WriteSums(Store* store, const Dump& dump) {
  int64_t live = 0;
  int64_t gaps = 0;
  int64_t largest = 0;
  for (const LogChunk& chunk : dump.chunks) {
    (chunk.free ? gaps : live) += chunk.bytes;
    if (chunk.free) largest = std::max(largest, chunk.bytes);
  }
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("UPDATE store_oom SET gap_bytes = ?, "
                          "largest_free_bytes = ?, in_use_bytes = "
                          "coalesce(in_use_bytes, ?) WHERE oom = ?"));
  return row.Run(gaps, largest, live, dump.oom);
}

// Dumps in separate files. They do not contain the refused request.
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
  RETURN_IF_ERROR(AssignChunks(store, &dumps));
  for (Dump& dump : dumps) {
    if (dump.chunks.empty() || !Sort(&dump.chunks)) continue;
    RETURN_IF_ERROR(WriteBlocks(store, dump));
    RETURN_IF_ERROR(WriteSums(store, dump));
  }
  return Status::Ok();
}

}  // namespace inquest::facts
