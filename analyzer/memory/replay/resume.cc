// How a replay begins at the checkpoint of a trace.
#include <utility>

#include "analyzer/memory/replay/replay.h"
#include "trace/store/event_rows.h"

namespace inquest::memory {

Status Replay::ResumeSites(Database* db, const std::string& prefix) {
  ASSIGN_OR_RETURN(Statement row,
                   db->Prepare("SELECT stack, device, allocations, frees, "
                               "failures, allocated_bytes, live_bytes, "
                               "peak_bytes FROM " +
                               prefix + "checkpoint_site ORDER BY id"));
  while (row.Step()) {
    SiteCounts counts;
    counts.allocations = row.Int(2);
    counts.frees = row.Int(3);
    counts.failures = row.Int(4);
    counts.allocated_bytes = row.Int(5);
    counts.live_bytes = row.Int(6);
    counts.peak_bytes = row.Int(7);
    sites_->Resume(sites_->Find(row.Int(0), static_cast<int>(row.Int(1))),
                   counts);
  }
  return row.status();
}

Status Replay::ResumeRefusals(Database* db, const std::string& prefix) {
  ASSIGN_OR_RETURN(
      Statement row,
      db->Prepare(
          "SELECT " + std::string(trace::kEventColumns) +
          ", live_bytes, framework_bytes, gap_bytes, "
          "largest_gap_bytes, whole_chunk_bytes, gaps, survived FROM "
          "(SELECT event AS id, live_bytes, framework_bytes, gap_bytes, "
          "largest_gap_bytes, whole_chunk_bytes, gaps, survived FROM " +
          prefix + "checkpoint_refusal) JOIN " + prefix +
          "memory_event USING (id) ORDER BY id"));
  while (row.Step()) {
    Refusal refusal;
    refusal.event = trace::EventOf(row);
    refusal.live_bytes = row.Int(11);
    refusal.framework_bytes = row.Int(12);
    refusal.gaps = {row.Int(13), row.Int(14), row.Int(15), row.Int(16)};
    refusal.survived = row.Int(17) != 0;
    Keep(std::move(refusal));
  }
  return row.status();
}

Expected<trace::Checkpoint> Replay::Resume(Database* db,
                                           const std::string& prefix) {
  ASSIGN_OR_RETURN(const trace::Checkpoint checkpoint,
                   trace::ReadCheckpoint(db, prefix, &ledger_));
  if (checkpoint.event == 0) return checkpoint;
  last_event_ = step_end_ = checkpoint.event;
  RETURN_IF_ERROR(trace::ReadCheckpointBlocks(db, prefix, &ledger_));
  for (const auto& [device, state] : ledger_.devices()) {
    peaks_[device][0].Resume(state.peak_bytes, state.live_bytes(),
                             checkpoint.event, state.peak_time);
    const trace::HeapTotals& pool = state.framework.totals();
    if (pool.peak_bytes == 0) continue;
    peaks_[device][1].Resume(pool.peak_bytes, pool.live_bytes, checkpoint.event,
                             pool.peak_time);
  }
  RETURN_IF_ERROR(ResumeSites(db, prefix));
  RETURN_IF_ERROR(ResumeRefusals(db, prefix));
  return checkpoint;
}

}  // namespace inquest::memory
