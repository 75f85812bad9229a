// The rows of cuDNN's calls: counts, the calls kept one by one, and with which
// algorithm and workspace each operation was run.
#include <algorithm>
#include <string>
#include <utility>

#include "trace/store/bind.h"
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
  Statement* insert =
      Get("INSERT OR IGNORE INTO cudnn_call VALUES(?,?,?,?,?,?,?,?)");
  if (insert == nullptr) return;
  insert->Bind(0, Signed(ticket)).Bind(1, record.time_ns);
  insert->Bind(2, record.function).Bind(3, int64_t{record.result});
  insert->Bind(4, record.duration_ns).Bind(5, Signed(record.handle));
  insert->Bind(6, int64_t{record.thread});
  BindText(insert, 7, record.detail);
  Run(insert);
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
  Statement* stat = Get(
      "INSERT INTO cudnn_stat VALUES(?,?,?,?,?) ON CONFLICT(function,result) "
      "DO UPDATE SET calls=calls+excluded.calls,"
      "total_ns=total_ns+excluded.total_ns,max_ns=max(max_ns,excluded.max_ns)");
  Statement* insert =
      Get("INSERT OR IGNORE INTO cudnn_call VALUES(?,?,?,0,?,?,?,NULL)");
  Statement* remove = Get("DELETE FROM cudnn_call WHERE id=?");
  if (stat == nullptr || insert == nullptr || remove == nullptr) return;
  for (const auto& [key, sum] : stats_) {
    stat->Bind(0, key.first).Bind(1, key.second).Bind(2, sum.calls);
    Run(&stat->Bind(3, sum.total_ns).Bind(4, sum.max_ns));
  }
  stats_.clear();
  for (const RawCall& call : raw_calls_) {
    insert->Bind(0, Signed(call.ticket)).Bind(1, call.time_ns);
    insert->Bind(2, call.function).Bind(3, call.duration_ns);
    Run(&insert->Bind(4, Signed(call.handle)).Bind(5, int64_t{call.thread}));
    stored_raw_.push_back(Signed(call.ticket));
  }
  raw_calls_.clear();
  while (stored_raw_.size() > RawCudnnCalls()) {
    Run(&remove->Bind(0, stored_raw_.front()));
    stored_raw_.pop_front();
  }
}

void TraceWriter::Enter(uint64_t, const CudnnOperationRecord& record) {
  Statement* insert =
      Get("INSERT OR IGNORE INTO cudnn_operation VALUES(?,?,?)");
  if (insert == nullptr) return;
  insert->Bind(0, Signed(record.id)).Bind(1, record.function);
  Run(&insert->Bind(2, record.text));
}

void TraceWriter::Enter(uint64_t ticket, const CudnnRunRecord& record) {
  retention_.Entered(RecordKind::kCudnnCall);
  Enter(ticket, record.call);
  intervals_.Add(record);
}

void TraceWriter::Enter(uint64_t, const CudnnChoiceRecord& record) {
  if (choices_.size() >= kMostChoices) return;  // its turns are counted as lost
  Statement* insert =
      Get("INSERT OR IGNORE INTO cudnn_choice VALUES(?,?,?,?,?,?,?)");
  if (insert == nullptr) return;
  choices_[record.id] = {std::string(record.function), record.operation,
                         static_cast<uint64_t>(record.workspace_bytes),
                         record.algorithm};
  insert->Bind(0, Signed(record.id)).Bind(1, record.function);
  insert->Bind(2, Signed(record.operation)).Bind(3, int64_t{record.algorithm});
  insert->Bind(4, record.workspace_bytes);
  BindNumber(insert, 5, record.workspace_asked);
  BindText(insert, 6, record.knobs);
  Run(insert);
}

// The collector's JSON object with the layer and how it was run before the
// rest.
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
    return Lose("cudnn_call", 1, "calls whose function was not told");
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
  Statement* store =
      Get("INSERT OR REPLACE INTO cudnn_interval "
          "VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
  Statement* link =
      Get("INSERT OR REPLACE INTO cudnn_interval_choice VALUES(?,?)");
  if (store == nullptr || link == nullptr) return;
  for (const CudnnInterval& i : intervals_.TakeChanged()) {
    store->Bind(0, i.id).Bind(1, i.function).Bind(2, i.operation);
    store->Bind(3, i.algorithm).Bind(4, i.workspace_bytes);
    store->Bind(5, i.first_ns).Bind(6, i.last_ns);
    store->Bind(7, i.calls).Bind(8, i.failed);
    Run(&store->Bind(9, i.total_ns).Bind(10, i.min_ns).Bind(11, i.max_ns));
    if (i.choice != 0) Run(&link->Bind(0, i.id).Bind(1, i.choice));
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
  while (rows.Step()) {
    choices_[static_cast<uint64_t>(rows.Int(0))] = {
        std::string(rows.Text(1)), static_cast<uint64_t>(rows.Int(2)),
        static_cast<uint64_t>(rows.Int(3)), static_cast<int32_t>(rows.Int(4))};
  }
  return rows.status();
}

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
  while (rows.Step()) {
    intervals_.Resume({rows.Int(0), std::string(rows.Text(1)), rows.Int(2),
                       rows.Int(3), rows.Int(4), rows.Int(5), rows.Int(6),
                       rows.Int(7), rows.Int(8), rows.Int(9), rows.Int(10),
                       rows.Int(11)});
  }
  return rows.status();
}

}  // namespace inquest::trace
