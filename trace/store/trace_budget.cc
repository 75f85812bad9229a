// SPDX-License-Identifier: Apache-2.0
// The part of TraceWriter that keeps a trace within its disk budget.
#include <algorithm>
#include <cstring>
#include <string>

#include "trace/store/fold.h"
#include "trace/store/trace_writer.h"

namespace inquest::trace {
namespace {

// A fold takes twice as many events as a batch brings, so that a trace gets
// back below its limit; few enough for some ten milliseconds.
constexpr int64_t kMinFold = 1024;
constexpr int64_t kMaxFold = 20'000;

bool Failed(std::string_view payload) {
  MemoryRecord record;
  if (payload.size() < sizeof record) return false;
  std::memcpy(&record, payload.data(), sizeof record);
  return record.result() != 0;
}

// Records that are few, or bounded already, or report a failure.
bool IsAlwaysKept(RecordKind kind, std::string_view payload) {
  switch (kind) {
    case RecordKind::kMemory:
      return Failed(payload);
    case RecordKind::kStack:
    case RecordKind::kPythonFrame:
    case RecordKind::kPythonStack:
    case RecordKind::kLibrary:
    case RecordKind::kDeviceMemory:
    case RecordKind::kDeviceProcess:
    case RecordKind::kMessage:
    case RecordKind::kStepBegin:
    case RecordKind::kCudnnOperation:
      return false;
    default:
      return true;
  }
}

}  // namespace

bool TraceWriter::HasRoomFor(RecordKind kind, std::string_view payload) const {
  return !budget_.exhausted() || IsAlwaysKept(kind, payload);
}

Status TraceWriter::TrimTables() {
  return retention_.Trim(&db_, [this](std::string_view table, int64_t rows,
                                      std::string_view rule) {
    Lose(std::string(table) + " (older)", rows, rule);
  });
}

Status TraceWriter::Fold() {
  const int64_t most = std::clamp(2 * memory_events_, kMinFold, kMaxFold);
  ASSIGN_OR_RETURN(const Folded folded, FoldMemoryEvents(&db_, most));
  if (folded.failed_dropped > 0) {
    Lose("memory_event (failed, older)", folded.failed_dropped,
         "the first 10,000 are kept, all are counted");
  }
  return failure_;
}

// One step for each batch, in a transaction of its own.
Status TraceWriter::KeepWithinBudget() {
  RETURN_IF_ERROR(budget_.Measure(&db_));
  if (!budget_.wants_room()) return Status::Ok();
  RETURN_IF_ERROR(db_.Execute("BEGIN IMMEDIATE"));
  Status status = Fold();
  if (status.ok()) status = db_.Execute("COMMIT");
  if (!status.ok()) {
    Status rolled_back = db_.Execute("ROLLBACK");
    static_cast<void>(rolled_back);
    return status;
  }
  return budget_.Measure(&db_);
}

}  // namespace inquest::trace
