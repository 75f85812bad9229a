// SPDX-License-Identifier: Apache-2.0
#include "trace/store/retention.h"

#include <algorithm>
#include <limits>
#include <string>

namespace inquest::trace {
namespace {

enum class Rule {
  kMiddle,  // the first half of the rows and the newest are kept
  kOldest,  // the newest are kept
  kThin,    // every second row is removed, repeatedly
};

struct Limit {
  RecordKind kind;
  const char* table;
  const char* which;  // of its rows count
  Rule rule;
  int64_t most;   // rows
  int64_t bytes;  // of a row, roughly
};

// The first failures name the cause and the last ones the end; samples should
// stay evenly spaced; a leak shows in the last steps.
constexpr Limit kLimits[] = {
    {RecordKind::kApiError, "api_error", "1", Rule::kMiddle, 20'000, 300},
    {RecordKind::kCudnnCall, "cudnn_call", "result<>0", Rule::kMiddle, 20'000,
     150},
    {RecordKind::kMessage, "message", "1", Rule::kMiddle, 10'000, 1000},
    {RecordKind::kDeviceEvent, "device_event", "1", Rule::kMiddle, 10'000, 150},
    {RecordKind::kCoverage, "coverage", "1", Rule::kMiddle, 10'000, 150},
    {RecordKind::kLibrary, "library", "1", Rule::kMiddle, 10'000, 300},
    {RecordKind::kLibraryPart, "library_part", "1", Rule::kMiddle, 1000, 300},
    {RecordKind::kDriver, "driver", "1", Rule::kMiddle, 1000, 200},
    {RecordKind::kCgroupMemory, "cgroup_memory", "1", Rule::kMiddle, 1000, 150},
    {RecordKind::kStepBegin, "step", "1", Rule::kOldest, 50'000, 60},
    {RecordKind::kClockAnchor, "clock_anchor", "rowid>1", Rule::kThin, 20'000,
     30},
    {RecordKind::kDeviceMemory, "device_memory", "reason<>'start'", Rule::kThin,
     50'000, 50},
    {RecordKind::kDeviceProcess, "device_process", "reason<>'start'",
     Rule::kThin, 50'000, 70},
};

const char* Words(Rule rule) {
  switch (rule) {
    case Rule::kMiddle:
      return "the first and the newest are kept";
    case Rule::kOldest:
      return "the newest are kept";
    case Rule::kThin:
      return "every second one has gone";
  }
  return "";
}

// Selects the rows to remove if there are `rows` and at most `most` are
// allowed.
std::string Surplus(const Limit& limit, int64_t rows, int64_t most) {
  const std::string from =
      std::string(" FROM ") + limit.table + " WHERE " + limit.which;
  if (limit.rule == Rule::kThin) {
    return "SELECT id FROM (SELECT rowid AS id, row_number() OVER "
           "(ORDER BY rowid) AS n" +
           from + ") WHERE n%2=0";
  }
  const int64_t first = limit.rule == Rule::kMiddle ? most / 2 : 0;
  return "SELECT rowid" + from + " ORDER BY rowid LIMIT " +
         std::to_string(rows - most) + " OFFSET " + std::to_string(first);
}

Status TrimTable(Database* db, const Limit& limit, int64_t most,
                 const Retention::Lose& lose) {
  const std::string count = std::string("SELECT count(*) FROM ") + limit.table +
                            " WHERE " + limit.which;
  ASSIGN_OR_RETURN(const int64_t rows, db->QueryInt(count));
  int64_t left = rows;
  while (left > most) {  // thinning goes by halves
    RETURN_IF_ERROR(db->Execute(std::string("DELETE FROM ") + limit.table +
                                " WHERE rowid IN (" +
                                Surplus(limit, left, most) + ")"));
    ASSIGN_OR_RETURN(left, db->QueryInt(count));
  }
  if (left < rows) lose(limit.table, rows - left, Words(limit.rule));
  return Status::Ok();
}

}  // namespace

// Rows that are already in the file are counted with the first batch.
Retention::Retention(uint64_t disk_bytes) : disk_bytes_(disk_bytes) {
  entered_.fill(std::numeric_limits<int64_t>::max() / 2);
}

// No table gets more than a 64th of the budget.
int64_t Retention::RowsWithin(uint64_t disk_bytes, int64_t most,
                              int64_t bytes) {
  const uint64_t rows = disk_bytes / 64 / static_cast<uint64_t>(bytes);
  return static_cast<int64_t>(
      std::clamp<uint64_t>(rows, 32, static_cast<uint64_t>(most)));
}

Status Retention::Trim(Database* db, const Lose& lose) {
  for (const Limit& limit : kLimits) {
    const int64_t most = RowsWithin(disk_bytes_, limit.most, limit.bytes);
    int64_t& entered = entered_[Slot(limit.kind)];
    if (entered <= most / 4) continue;
    entered = 0;
    RETURN_IF_ERROR(TrimTable(db, limit, most, lose));
  }
  return Status::Ok();
}

}  // namespace inquest::trace
