// SPDX-License-Identifier: Apache-2.0
// The rows of cuDNN's calls: counts, the calls kept one by one, and with which
// algorithm and workspace each operation was run.
#include <algorithm>
#include <string>
#include <utility>

#include "trace/store/or_null.h"
#include "trace/store/trace_writer.h"

namespace inquest::trace {

void TraceWriter::Enter(uint64_t ticket, const CudnnCallRecord& record) {
  CudnnStat& stat = stats_[StatKey(record.function, record.result)];
  ++stat.calls;
  stat.total_ns += record.duration_ns;
  stat.max_ns = std::max(stat.max_ns, record.duration_ns);
  if (record.result == 0) {
    if (raw_calls_.size() == RawCudnnCalls()) raw_calls_.pop_front();
    raw_calls_.push_back({ticket, record.time_ns, record.duration_ns,
                          record.handle, record.thread,
                          std::string(record.function)});
    return;
  }
  Write("INSERT OR IGNORE INTO cudnn_call VALUES(?,?,?,?,?,?,?,?)", ticket,
        record.time_ns, record.function, record.result, record.duration_ns,
        record.handle, record.thread, OrNull(record.detail));
}

size_t TraceWriter::RawCudnnCalls() const {
  return static_cast<size_t>(Retention::RowsWithin(
      budget_.most(), static_cast<int64_t>(kRawCudnnCalls), 100));
}

void TraceWriter::Enter(uint64_t, const CudnnStatRecord& record) {
  CudnnStat& stat = stats_[StatKey(record.function, record.result)];
  stat.calls += record.calls;
  stat.total_ns += record.total_ns;
  stat.max_ns = std::max(stat.max_ns, record.max_ns);
}

void TraceWriter::FlushCudnn() {
  for (const auto& [key, sum] : stats_) {
    Write(
        "INSERT INTO cudnn_stat VALUES(?,?,?,?,?) ON CONFLICT(function,result) "
        "DO UPDATE SET calls=calls+excluded.calls,"
        "total_ns=total_ns+excluded.total_ns,max_ns=max(max_ns,excluded.max_"
        "ns)",
        key.first, key.second, sum.calls, sum.total_ns, sum.max_ns);
  }
  stats_.clear();
  for (const RawCall& call : raw_calls_) {
    Write("INSERT OR IGNORE INTO cudnn_call VALUES(?,?,?,0,?,?,?,NULL)",
          call.ticket, call.time_ns, call.function, call.duration_ns,
          call.handle, call.thread);
    stored_raw_.push_back(static_cast<int64_t>(call.ticket));
  }
  raw_calls_.clear();
  while (stored_raw_.size() > RawCudnnCalls()) {
    Write("DELETE FROM cudnn_call WHERE id=?", stored_raw_.front());
    stored_raw_.pop_front();
  }
}

void TraceWriter::Enter(uint64_t, const CudnnOperationRecord& r) {
  Write("INSERT OR IGNORE INTO cudnn_operation VALUES(?,?,?)", r.id, r.function,
        r.text);
}

void TraceWriter::Enter(uint64_t ticket, const CudnnRunRecord& record) {
  retention_.Entered(RecordKind::kCudnnCall);
  Enter(ticket, record.call);
  intervals_.Add(record);
}

void TraceWriter::Enter(uint64_t, const CudnnChoiceRecord& r) {
  // Beyond the limit the calls of a choice are counted as lost.
  if (choices_.size() >= kMaxChoices) return;
  choices_[r.id] = {std::string(r.function), r.operation,
                    static_cast<uint64_t>(r.workspace_bytes), r.algorithm};
  Write("INSERT OR IGNORE INTO cudnn_choice VALUES(?,?,?,?,?,?,?)", r.id,
        r.function, r.operation, r.algorithm, r.workspace_bytes,
        OrNull(r.workspace_asked), OrNull(r.knobs));
}

// The collector's JSON object, preceded by the layer and how it was run.
std::string TraceWriter::WithChoice(const Choice& choice,
                                    std::string_view detail) {
  std::string whole =
      "{\"operation\":" + std::to_string(choice.operation) +
      ",\"algorithm\":" + std::to_string(choice.algorithm) +
      ",\"workspace_bytes\":" + std::to_string(choice.workspace_bytes);
  if (detail.size() > 2) return whole.append(",").append(detail.substr(1));
  return whole + '}';
}

void TraceWriter::Enter(uint64_t ticket, const CudnnTurnRecord& record) {
  const auto at = choices_.find(record.choice);
  if (at == choices_.end()) {
    return Lose("cudnn_call", 1, "calls whose function is unknown");
  }
  const Choice& choice = at->second;
  const std::string detail =
      record.result == 0 ? "" : WithChoice(choice, record.detail);
  const CudnnRunRecord run{
      {record.time_ns, record.duration_ns, record.handle, record.result,
       record.thread, choice.function, detail},
      choice.operation,
      choice.workspace_bytes,
      choice.algorithm};
  Enter(ticket, run.call);
  intervals_.Add(run, record.choice);
}

void TraceWriter::FlushIntervals() {
  for (const CudnnInterval& i : intervals_.TakeChanged()) {
    Write(
        "INSERT OR REPLACE INTO cudnn_interval VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
        i.id, i.function, i.operation, i.algorithm, i.workspace_bytes,
        i.first_ns, i.last_ns, i.calls, i.failed, i.total_ns, i.min_ns,
        i.max_ns);
    if (i.choice == 0) continue;
    Write("INSERT OR REPLACE INTO cudnn_interval_choice VALUES(?,?)", i.id,
          i.choice);
  }
  const int64_t misplaced = intervals_.TakeMisplaced();
  if (misplaced > 0) {
    Lose("cudnn_interval", misplaced,
         "calls with a change of algorithm or workspace beyond 20,000");
  }
}

Status TraceWriter::LoadChoices() {
  choices_.clear();
  ASSIGN_OR_RETURN(Statement rows,
                   db_.Prepare("SELECT id,function,operation,workspace_bytes,"
                               "algorithm FROM cudnn_choice"));
  uint64_t id = 0;
  Choice choice;
  while (rows.Next(&id, &choice.function, &choice.operation,
                   &choice.workspace_bytes, &choice.algorithm)) {
    choices_[id] = choice;
  }
  return rows.status();
}

// Loads the last interval of each operation, which may continue.
Status TraceWriter::LoadIntervals() {
  RETURN_IF_ERROR(LoadChoices());
  ASSIGN_OR_RETURN(
      const int64_t last,
      db_.QueryInt("SELECT coalesce(max(id),0) FROM cudnn_interval"));
  intervals_.Reset(last);
  ASSIGN_OR_RETURN(
      Statement rows,
      db_.Prepare("SELECT max(i.id),function,operation,algorithm,"
                  "workspace_bytes,coalesce(c.choice,0),first_ns,last_ns,"
                  "calls,failed,total_ns,min_ns,max_ns FROM cudnn_interval AS "
                  "i LEFT JOIN cudnn_interval_choice AS c ON c.interval=i.id "
                  "GROUP BY function,operation"));
  CudnnInterval i;
  while (rows.Next(&i.id, &i.function, &i.operation, &i.algorithm,
                   &i.workspace_bytes, &i.choice, &i.first_ns, &i.last_ns,
                   &i.calls, &i.failed, &i.total_ns, &i.min_ns, &i.max_ns)) {
    intervals_.Resume(i);
  }
  return rows.status();
}

}  // namespace inquest::trace
