#include "analyzer/memory/refusals/refusal_facts.h"

#include <utility>
#include <vector>

#include "analyzer/facts/store/optional_column.h"
#include "analyzer/memory/refusals/free_space.h"
#include "analyzer/memory/refusals/refusal_reason.h"

namespace inquest::memory {
namespace {

using facts::BindOptional;

int64_t BytesOf(const std::vector<HeapSpan>& blocks) {
  int64_t bytes = 0;
  for (const HeapSpan& one : blocks) bytes += one.bytes;
  return bytes;
}

}  // namespace

// The nearest sample of a device's state to a moment, failures preferred.
std::optional<int64_t> RefusalFacts::QueryAt(const std::string& select,
                                             int device, int64_t time) {
  auto row = store_->db().Prepare(select);
  if (!row.ok()) return {};
  row->Bind(0, int64_t{device}).Bind(1, time);
  if (!row->Step() || row->IsNull(0)) return {};
  return row->Int(0);
}

RefusalFacts::DeviceThen RefusalFacts::LookAround(const MemoryEvent& event) {
  const auto at = [&](const std::string& select) {
    return QueryAt(select, event.device, event.time);
  };
  const std::string memory = prefix_ + "device_memory WHERE device = ?1 AND ";
  const std::string process = prefix_ + "device_process WHERE device = ?1";
  return {at("SELECT free_bytes FROM " + memory +
             "reason != 'start' ORDER BY abs(time_ns - ?2), time_ns LIMIT 1"),
          at("SELECT total_bytes FROM " + prefix_ +
             "device WHERE ordinal = ?1 AND ?2 IS NOT NULL"),
          at("SELECT sum(used_bytes) FROM " + process + " AND pid != " +
             std::to_string(own_pid_) + " AND time_ns = (SELECT time_ns FROM " +
             process + " ORDER BY abs(time_ns - ?2) LIMIT 1)"),
          at("SELECT free_bytes FROM " + memory +
             "?2 IS NOT NULL AND reason = 'start' ORDER BY time_ns LIMIT 1")};
}

Status RefusalFacts::WriteHeap(const Refusal& refusal, int64_t oom) {
  ASSIGN_OR_RETURN(Statement row,
                   store_->db().Prepare("INSERT INTO store_heap_block VALUES "
                                        "(?, ?, ?, ?, ?, ?, ?, NULL)"));
  for (const HeapSpan& span : refusal.heap) {
    row.Bind(0, oom).Bind(1, static_cast<int64_t>(span.address));
    row.Bind(2, span.bytes).Bind(3, span.live ? "live" : "free");
    row.BindNull(4).BindNull(5).BindNull(6);
    if (span.live) {
      row.Bind(5, context_.site_id(span.site)).Bind(6, span.age);
      if (span.event != 0) row.Bind(4, span.event);  // 0: before the trace
    }
    RETURN_IF_ERROR(row.Run());
  }
  return Status::Ok();
}

Status RefusalFacts::WriteBlockers(const std::vector<HeapSpan>& blockers,
                                   int64_t oom) {
  ASSIGN_OR_RETURN(
      Statement row,
      store_->db().Prepare("INSERT INTO store_blocker VALUES (?, ?, ?, ?, ?)"));
  for (const HeapSpan& one : blockers) {
    row.Bind(0, oom).Bind(1, static_cast<int64_t>(one.address));
    row.Bind(2, one.bytes).Bind(3, context_.site_id(one.site));
    RETURN_IF_ERROR(row.Bind(4, one.age).Run());
  }
  return Status::Ok();
}

// A page of columns, and nothing but columns.
Status RefusalFacts::WriteOne(const Refusal& refusal) {
  const MemoryEvent& event = refusal.event;
  const DeviceThen then = LookAround(event);
  const FreeSpace space = refusal.of_pool
                              ? MeasurePoolFree(refusal.gaps, then.free)
                              : MeasureFree(refusal.gaps, refusal.live_bytes,
                                            then.free, then.free_at_start);
  const auto leaked = context_.leaked.find(event.device);
  const Hindrance why = FindHindrance(
      {event.bytes, space.unused, space.largest, then.free, then.total,
       then.others, refusal.of_pool, refusal.idle_in_pool,
       leaked == context_.leaked.end() ? 0 : leaked->second});
  std::vector<HeapSpan> blockers;
  if (space.unused >= event.bytes && space.largest < event.bytes) {
    blockers = BlocksInTheWay(refusal.heap, event.bytes);
  }
  ASSIGN_OR_RETURN(
      Statement row,
      store_->db().Prepare(
          "INSERT INTO store_oom (source, evidence, process, pid, device, "
          "time, requested_bytes, live_bytes, gap_bytes, survived, "
          "largest_free_bytes, free_bytes, total_bytes, other_bytes, "
          "allocated_bytes, unused_bytes, reserved_bytes, "
          "reserved_unallocated_bytes, reason, missing_bytes, fragmentation, "
          "blocking_blocks, blocking_bytes, rank) VALUES ('trace', "
          "'memory_event:' || ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
          "?, ?, ?, ?, ?, ?, ?, (SELECT rank FROM " +
          prefix_ + "process))"));
  row.Bind(0, event.id).Bind(1, int64_t{context_.process}).Bind(2, own_pid_);
  row.Bind(3, int64_t{event.device});
  row.Bind(4, event.time + store_->ClockOffset(context_.process));
  row.Bind(5, event.bytes).Bind(6, refusal.live_bytes);
  row.Bind(7, refusal.gaps.total).Bind(8, int64_t{refusal.survived});
  row.Bind(9, space.largest).Bind(14, space.unused);
  BindOptional(&row, 10, then.free);
  BindOptional(&row, 11, then.total);
  BindOptional(&row, 12, then.others);
  if (refusal.framework_bytes > 0) row.Bind(13, refusal.framework_bytes);
  if (refusal.of_pool) {
    row.Bind(15, refusal.live_bytes).Bind(16, refusal.gaps.total);
  }
  row.Bind(17, Word(why.reason));
  BindOptional(&row, 18, why.missing);
  if (why.fragmentation) row.Bind(19, *why.fragmentation);
  if (!blockers.empty()) {
    row.Bind(20, static_cast<int64_t>(blockers.size()));
    row.Bind(21, BytesOf(blockers));
  }
  RETURN_IF_ERROR(row.Run());
  const int64_t oom = store_->db().LastInsertId();
  RETURN_IF_ERROR(WriteBlockers(blockers, oom));
  return WriteHeap(refusal, oom);
}

Status RefusalFacts::Write() {
  ASSIGN_OR_RETURN(own_pid_, store_->db().QueryInt("SELECT pid FROM " +
                                                   prefix_ + "process"));
  for (const Refusal& refusal : replay_.refusals()) {
    RETURN_IF_ERROR(WriteOne(refusal));
  }
  return Status::Ok();
}

}  // namespace inquest::memory
