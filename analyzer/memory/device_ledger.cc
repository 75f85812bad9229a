// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/device_ledger.h"

#include <iterator>

namespace inquest::memory {
namespace {

// The collector samples both at once; nanoseconds.
constexpr int64_t kMaxApart = 1'000'000'000;

}  // namespace

Status DeviceLedger::Read(Database* db, const std::string& prefix,
                          int64_t after) {
  ASSIGN_OR_RETURN(
      Statement row,
      db->Prepare(
          "SELECT time_ns, device, total_bytes - free_bytes, free_bytes, "
          "reason "
          "FROM " +
          prefix + "device_memory WHERE time_ns > ? ORDER BY time_ns"));
  row.BindAll(after);
  for (Sample one;
       row.Next(&one.time, &one.device, &one.used, &one.free, &one.reason);) {
    samples_.push_back(one);
  }
  RETURN_IF_ERROR(row.status());
  return ReadOthers(db, prefix);
}

Status DeviceLedger::ReadOthers(Database* db, const std::string& prefix) {
  ASSIGN_OR_RETURN(
      Statement row,
      db->Prepare("SELECT device, time_ns, sum(CASE WHEN pid = (SELECT pid "
                  "FROM " +
                  prefix +
                  "process) THEN 0 ELSE used_bytes END) AS used FROM " +
                  prefix +
                  "device_process GROUP BY device, time_ns "
                  "HAVING used IS NOT NULL"));
  std::pair<int, int64_t> key;
  int64_t bytes = 0;
  while (row.Next(&key.first, &key.second, &bytes)) others_[key] = bytes;
  return row.status();
}

std::optional<int64_t> DeviceLedger::OthersAt(const Sample& sample) const {
  auto found = others_.lower_bound({sample.device, sample.time - kMaxApart});
  std::optional<int64_t> bytes;
  int64_t nearest = kMaxApart;
  for (; found != others_.end() && found->first.first == sample.device &&
         found->first.second <= sample.time + kMaxApart;
       ++found) {
    const int64_t apart = std::abs(found->first.second - sample.time);
    if (apart > nearest) continue;
    nearest = apart;
    bytes = found->second;
  }
  return bytes;
}

// At its end a process has given back what it held; only a process without
// other samples is judged by that one.
std::optional<int64_t> DeviceLedger::Room(int device) const {
  std::optional<int64_t> room;
  bool at_end = false;
  for (const Sample& one : samples_) {
    if (one.device != device) continue;
    const bool end = one.reason == "end";
    if (room && end && !at_end) continue;
    room = one.free + one.live;
    at_end = end;
  }
  return room;
}

Status DeviceLedger::Write(facts::Store* store, int process) const {
  ASSIGN_OR_RETURN(Statement row,
                   store->db().Prepare("INSERT INTO store_device_ledger VALUES "
                                       "(?, ?, ?, ?, ?, ?, ?, ?)"));
  for (const Sample& one : samples_) {
    const std::optional<int64_t> others = OthersAt(one);
    RETURN_IF_ERROR(row.Run(
        process, one.device, one.time + store->ClockOffset(process), one.reason,
        one.used, one.live, others, one.used - one.live - others.value_or(0)));
  }
  return Status::Ok();
}

}  // namespace inquest::memory
