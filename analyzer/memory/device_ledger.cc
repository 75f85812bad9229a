#include "analyzer/memory/device_ledger.h"

#include <iterator>

#include "analyzer/facts/store/optional_column.h"

namespace inquest::memory {
namespace {

// The collector asks for both in one go.
constexpr int64_t kAtOnce = 1'000'000'000;

}  // namespace

Status DeviceLedger::Read(Database* db, const std::string& prefix,
                          int64_t after) {
  ASSIGN_OR_RETURN(
      Statement row,
      db->Prepare("SELECT time_ns, device, total_bytes - free_bytes, reason "
                  "FROM " +
                  prefix + "device_memory WHERE time_ns > ? ORDER BY time_ns"));
  row.Bind(0, after);
  while (row.Step()) {
    samples_.push_back({row.Int(0), static_cast<int>(row.Int(1)), row.Int(2),
                        std::string(row.Text(3))});
  }
  RETURN_IF_ERROR(row.status());
  return ReadOthers(db, prefix);
}

Status DeviceLedger::ReadOthers(Database* db, const std::string& prefix) {
  ASSIGN_OR_RETURN(
      Statement row,
      db->Prepare("SELECT device, time_ns, sum(CASE WHEN pid = (SELECT pid "
                  "FROM " +
                  prefix + "process) THEN 0 ELSE used_bytes END) FROM " +
                  prefix + "device_process GROUP BY device, time_ns"));
  while (row.Step()) {
    if (row.IsNull(2)) continue;
    others_[{static_cast<int>(row.Int(0)), row.Int(1)}] = row.Int(2);
  }
  return row.status();
}

std::optional<int64_t> DeviceLedger::OthersAt(const Sample& sample) const {
  auto found = others_.lower_bound({sample.device, sample.time - kAtOnce});
  std::optional<int64_t> bytes;
  int64_t nearest = kAtOnce;
  for (; found != others_.end() && found->first.first == sample.device &&
         found->first.second <= sample.time + kAtOnce;
       ++found) {
    const int64_t apart = std::abs(found->first.second - sample.time);
    if (apart > nearest) continue;
    nearest = apart;
    bytes = found->second;
  }
  return bytes;
}

Status DeviceLedger::Write(facts::Store* store, int process) const {
  ASSIGN_OR_RETURN(Statement row,
                   store->db().Prepare("INSERT INTO store_device_ledger VALUES "
                                       "(?, ?, ?, ?, ?, ?, ?, ?)"));
  for (const Sample& one : samples_) {
    const std::optional<int64_t> others = OthersAt(one);
    row.Bind(0, int64_t{process}).Bind(1, int64_t{one.device});
    row.Bind(2, one.time + store->ClockOffset(process)).Bind(3, one.reason);
    row.Bind(4, one.used).Bind(5, one.live);
    facts::BindOptional(&row, 6, others);
    RETURN_IF_ERROR(
        row.Bind(7, one.used - one.live - others.value_or(0)).Run());
  }
  return Status::Ok();
}

}  // namespace inquest::memory
