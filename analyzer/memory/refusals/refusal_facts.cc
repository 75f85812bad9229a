// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/refusals/refusal_facts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/memory/refusals/free_space.h"
#include "analyzer/memory/refusals/refusal_reason.h"
#include "base/capped.h"
#include "base/rows.h"

namespace inquest::memory {
namespace {

// A row of store_oom.
struct OomRow {
  template <class V>
  void Columns(V& v) {
    const std::string_view origin = "trace";
    v("source", origin);
    v("evidence", evidence);
    v("process", process);
    v("rank", rank);
    v("pid", pid);
    v("device", device);
    v("time", time);
    v("requested_bytes", requested);
    v("free_bytes", free);
    v("total_bytes", total);
    v("live_bytes", live);
    v("gap_bytes", gaps);
    v("largest_free_bytes", largest_free);
    v("other_bytes", others);
    v("allocated_bytes", allocated);
    v("reserved_bytes", reserved);
    v("reserved_unallocated_bytes", unallocated);
    v("unused_bytes", unused);
    v("survived", survived);
    v("reason", reason);
    v("missing_bytes", missing);
    v("fragmentation", fragmentation);
    v("blocking_blocks", blocking_blocks);
    v("blocking_bytes", blocking_bytes);
    v("segment_bytes", segment);
  }
  void SetBlockers(const std::vector<HeapSpan>& blockers) {
    if (blockers.empty()) return;
    blocking_blocks = blockers.size();
    blocking_bytes = 0;
    for (const HeapSpan& one : blockers) {
      blocking_bytes = AddCapped(*blocking_bytes, one.bytes);
    }
  }

  std::string evidence;
  int process = 0;
  std::optional<int64_t> rank;
  std::optional<int64_t> pid;
  int device = 0;
  int64_t time = 0;
  int64_t requested = 0;
  std::optional<int64_t> free, total;
  int64_t live = 0, gaps = 0, largest_free = 0;
  std::optional<int64_t> others, allocated, reserved, unallocated;
  int64_t unused = 0;
  bool survived = false;
  std::string_view reason;
  std::optional<int64_t> missing;
  std::optional<double> fragmentation;
  std::optional<size_t> blocking_blocks;
  std::optional<int64_t> blocking_bytes;
  std::optional<int64_t> segment;
};

}  // namespace

Status RefusalFacts::WriteHeap(const Refusal& refusal, int64_t oom) {
  ASSIGN_OR_RETURN(Statement row,
                   store_->db().Prepare("INSERT INTO store_heap_block VALUES "
                                        "(?, ?, ?, ?, ?, ?, ?, NULL)"));
  for (const HeapSpan& span : refusal.heap) {
    std::optional<int64_t> event, site, age;
    if (span.live) {
      site = context_.site_id(span.site);
      age = span.age;
      if (span.event != 0) event = span.event;  // 0: from before the trace
    }
    RETURN_IF_ERROR(row.Run(oom, span.address, span.bytes,
                            span.live ? "live" : "free", event, site, age));
  }
  return Status::Ok();
}

Status RefusalFacts::WriteBlockers(const std::vector<HeapSpan>& blockers,
                                   int64_t oom) {
  ASSIGN_OR_RETURN(Statement row,
                   store_->db().Prepare(
                       "INSERT INTO store_oom_blocker VALUES (?, ?, ?, ?, ?)"));
  for (const HeapSpan& one : blockers) {
    RETURN_IF_ERROR(row.Run(oom, one.address, one.bytes,
                            context_.site_id(one.site), one.age));
  }
  return Status::Ok();
}

Status RefusalFacts::WriteOne(const Refusal& refusal) {
  const MemoryEvent& event = refusal.event;
  const DeviceThen then = samples_->Near(event.device, event.time);
  const int64_t segment = context_.torch.SegmentBytes(event.bytes);
  const FreeSpace space =
      refusal.of_pool
          ? MeasurePoolFree(refusal.gaps, then.free, {event.bytes, segment})
          : MeasureFree(refusal.gaps, refusal.live_bytes, then.free,
                        then.free_at_start);
  const auto leaked = context_.leaked.find(event.device);
  const RefusalReason why = WhyRefused(
      {event.bytes, space.unused, space.largest, then.free, then.total,
       then.others, refusal.of_pool, refusal.idle_in_pool,
       leaked == context_.leaked.end() ? 0 : leaked->second,
       refusal.of_pool ? segment : 0});
  std::vector<HeapSpan> blockers;
  if (space.unused >= event.bytes && space.largest < event.bytes) {
    blockers = BlocksInTheWay(refusal.heap, event.bytes);
  }
  OomRow row;
  row.evidence = "memory_event:" + std::to_string(event.id);
  row.process = context_.process;
  row.rank = own_rank_;
  if (own_pid_ > 0) row.pid = own_pid_;  // a snapshot has none
  row.device = event.device;
  row.time = event.time + store_->ClockOffset(context_.process);
  row.requested = event.bytes;
  row.free = then.free;
  row.total = then.total;
  row.live = refusal.live_bytes;
  row.gaps = refusal.gaps.total;
  row.largest_free = space.largest;
  row.others = then.others;
  if (refusal.framework_bytes > 0) row.allocated = refusal.framework_bytes;
  if (refusal.of_pool) {
    row.reserved = refusal.live_bytes;
    row.unallocated = refusal.gaps.total;
    row.segment = segment;
  }
  row.unused = space.unused;
  row.survived = refusal.survived;
  row.reason = Word(why.reason);
  row.missing = why.missing;
  row.fragmentation = why.fragmentation;
  row.SetBlockers(blockers);
  ASSIGN_OR_RETURN(auto table, InsertInto<OomRow>(&store_->db(), "store_oom"));
  RETURN_IF_ERROR(table.Add(row));
  const int64_t oom = store_->db().LastInsertId();
  RETURN_IF_ERROR(WriteBlockers(blockers, oom));
  const size_t site = context_.sites->Find(event.stack, event.device);
  HeldAtRefusal held;
  held.blocks = refusal.held;
  held.stacks = refusal.made;
  held.refused = {site, event.stack, event.bytes, event.id, event.time};
  held.events_before = [this](int64_t event) {
    return static_cast<double>(replay_.EventsBefore(event));
  };
  RETURN_IF_ERROR(WriteEarlierRun(context_.earlier_runs,
                                  {oom, {}, event.device}, std::move(held),
                                  context_.sites->sites()));
  return WriteHeap(refusal, oom);
}

Status RefusalFacts::Write() {
  ASSIGN_OR_RETURN(
      Statement own,
      store_->db().Prepare("SELECT pid, rank FROM " + prefix_ + "process"));
  own.Next(&own_pid_, &own_rank_);
  RETURN_IF_ERROR(own.status());
  samples_.emplace(&store_->db(), prefix_, own_pid_);
  for (const Refusal& refusal : replay_.refusals()) {
    RETURN_IF_ERROR(WriteOne(refusal));
  }
  return Status::Ok();
}

}  // namespace inquest::memory
