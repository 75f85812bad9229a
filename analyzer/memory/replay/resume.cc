// SPDX-License-Identifier: Apache-2.0
// Begins a replay at the checkpoint of a trace.
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
  int64_t stack = 0;
  int device = 0;
  for (SiteCounts counts;
       row.Next(&stack, &device, &counts.allocations, &counts.frees,
                &counts.failures, &counts.allocated_bytes, &counts.live_bytes,
                &counts.peak_bytes);) {
    sites_->Resume(sites_->FindForAlloc(stack, device, counts.allocations),
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
    int column = row.columns() - 7;
    for (int64_t* figure : {&refusal.live_bytes, &refusal.framework_bytes,
                            &refusal.gaps.total, &refusal.gaps.largest,
                            &refusal.gaps.whole_chunks, &refusal.gaps.count}) {
      row.ReadColumn(column++, figure);
    }
    row.ReadColumn(column, &refusal.survived);
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
