// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/summary.h"

#include <map>
#include <set>
#include <utility>

#include "analyzer/findings/collect/row_figures.h"
#include "base/rows.h"

namespace inquest::report {
namespace {

// device_usage and the pool's own totals, as the SQL below selects them.
struct UsageRow {
  DeviceSummary device;
  // Of the pool's blocks; empty if no pool reported any.
  std::optional<int64_t> allocations;
  int64_t frees = 0, peak_bytes = 0, peak_time = 0, live_bytes = 0;
  int64_t before_bytes = 0;
  std::optional<int64_t> reserved_peak, reserved, allocated_peak, allocated;

  template <class V>
  void Columns(V& v) {
    v("u.process", device.process);
    v("t.path", device.path);
    v("u.device", device.device);
    v("u.allocations", device.allocations);
    v("u.frees", device.frees);
    v("u.failed", device.failed);
    v("u.peak_bytes", device.peak_bytes);
    v("u.peak_time", device.peak_time);
    v("u.live_bytes", device.live_bytes);
    v("u.capacity_bytes", device.capacity_bytes);
    v("u.framework_allocations", allocations);
    v("u.framework_frees", frees);
    v("u.framework_peak_bytes", peak_bytes);
    v("u.framework_peak_time", peak_time);
    v("u.framework_live_bytes", live_bytes);
    v("u.framework_before_bytes", before_bytes);
    v("s.reserved_peak", reserved_peak);
    v("l.reserved_bytes", reserved);
    v("s.allocated_peak", allocated_peak);
    v("l.allocated_bytes", allocated);
  }
};

// The pool's reserved bytes are what it took from the driver or, if that was
// not recorded, what it reported itself.
DeviceSummary SummaryOf(const UsageRow& row) {
  DeviceSummary device = row.device;
  if (!row.allocations) return device;
  if (device.peak_bytes > 0) {
    device.reserved_peak_bytes = device.peak_bytes;
    device.reserved_bytes = device.live_bytes;
  } else if (row.reserved_peak && row.reserved) {
    device.reserved_peak_bytes = row.reserved_peak;
    device.reserved_bytes = row.reserved;
  }
  if (row.allocated_peak && row.allocated) {
    device.allocated_peak_bytes = row.allocated_peak;
    device.allocated_bytes = row.allocated;
  }
  device.allocations = *row.allocations;
  device.frees = row.frees;
  device.peak_bytes = row.peak_bytes;
  device.peak_time = row.peak_time;
  device.live_bytes = row.live_bytes;
  if (row.before_bytes > 0) device.before_bytes = row.before_bytes;
  return device;
}

// Pinned memory and a framework's own are different things.
void AddHost(const UsageRow& row, bool one_moment, Summary* summary) {
  const DeviceSummary& all = row.device;
  if (all.allocations > 0 || (all.failed > 0 && !row.allocations)) {
    summary->host.push_back(all);
  }
  if (!row.allocations) return;
  DeviceSummary own = SummaryOf(row);
  own.reserved_peak_bytes = own.reserved_bytes = {};
  own.host_memory =
      one_moment ? HostMemory::kExecutables : HostMemory::kFramework;
  own.one_moment = one_moment;
  summary->host.push_back(own);
}

struct Moment {
  std::string name;  // of the device
  std::string when, what;
};

// By process and ordinal: devices of JAX's profiles and of TensorFlow's dumps.
using Moments = std::map<std::pair<int64_t, int64_t>, Moment>;

Expected<Moments> ReadMoments(facts::Store* store) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT process, device, max(device_name), 'when the profile was "
          "taken', 'buffer' FROM profile_sample GROUP BY 1, 2 UNION ALL SELECT "
          "process, device, '', 'when a request was refused', 'chunk' FROM "
          "pool_chunk GROUP BY 1, 2"));
  Moments moments;
  int64_t process = 0, device = 0;
  for (Moment one;
       row.Next(&process, &device, &one.name, &one.when, &one.what);) {
    moments[{process, device}] = one;
  }
  RETURN_IF_ERROR(row.status());
  return moments;
}

// A snapshot without a history is of one moment, too.
void FillMoment(const Moments& moments, DeviceSummary* one) {
  const auto known = moments.find({one->process, one->device});
  one->one_moment = known != moments.end();
  if (one->one_moment) {
    one->name = known->second.name;
    one->when = known->second.when;
    one->what = known->second.what;
  } else if (one->before_bytes &&
             one->allocations + one->frees + one->failed == 0) {
    one->one_moment = true;
    one->when = "when the snapshot was made";
  }
}

// Processes of which a profile without the allocator's own sums tells.
Expected<std::set<int64_t>> WithoutSums(facts::Store* store) {
  ASSIGN_OR_RETURN(Statement row,
                   store->db().Prepare(
                       "SELECT DISTINCT c.process FROM coverage AS c WHERE "
                       "c.source = 'kineto' AND NOT EXISTS (SELECT 1 FROM "
                       "framework_memory AS f WHERE f.process = c.process AND "
                       "f.allocated_bytes IS NOT NULL)"));
  std::set<int64_t> processes;
  while (row.Step()) processes.insert(row.Int(0));
  RETURN_IF_ERROR(row.status());
  return processes;
}

// The pool's share is what it reported last before the sample.
Expected<std::vector<OutsidePool>> OutsideOf(facts::Store* store) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT l.process, l.device, max(l.time), l.used_bytes, "
          "l.live_bytes, coalesce(l.other_bytes, 0), l.remainder_bytes, "
          "(SELECT f.reserved_bytes FROM framework_memory AS f WHERE f.process "
          "= l.process AND f.device = l.device AND f.first_time <= l.time "
          "ORDER BY f.id DESC LIMIT 1) AS reserved FROM device_ledger AS l "
          "WHERE l.reason <> 'end' GROUP BY l.process, l.device "
          "HAVING reserved > 0 ORDER BY 1, 2"));
  std::vector<OutsidePool> all;
  OutsidePool one;
  int64_t time = 0, used = 0, live = 0, reserved = 0;
  while (row.Next(&one.process, &one.device, &time, &used, &live,
                  &one.other_bytes, &one.remainder_bytes, &reserved)) {
    one.bytes = used - reserved;
    one.own_bytes = live - reserved;
    // A sample in the middle of a growing pool does not add up.
    if (one.own_bytes >= 0 && one.remainder_bytes >= 0) all.push_back(one);
  }
  RETURN_IF_ERROR(row.status());
  return all;
}

// Of processes that held device memory over time.
Expected<std::vector<UnjudgedLeaks>> UnjudgedIn(facts::Store* store) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT q.process, q.why FROM leak_question AS q WHERE q.judged = "
          "'none' AND EXISTS (SELECT 1 FROM device_usage AS u WHERE u.process "
          "= q.process AND (u.peak_bytes > 0 OR u.framework_peak_bytes > 0)) "
          "AND NOT EXISTS (SELECT 1 FROM profile_sample AS s WHERE s.process = "
          "q.process) ORDER BY 1"));
  std::vector<UnjudgedLeaks> all;
  for (UnjudgedLeaks one; row.Next(&one.process, &one.why);) all.push_back(one);
  RETURN_IF_ERROR(row.status());
  return all;
}

}  // namespace

Expected<Summary> Summarize(facts::Store* store, int64_t events) {
  Summary summary;
  summary.events = events;
  ASSIGN_OR_RETURN(auto rows,
                   SelectRows<UsageRow>(
                       &store->db(),
                       "FROM device_usage AS u "
                       "LEFT JOIN (SELECT process, device, max(id) AS last, "
                       "max(peak_reserved_bytes) AS reserved_peak, "
                       "max(peak_allocated_bytes) AS allocated_peak "
                       "FROM framework_memory GROUP BY process, device) AS s "
                       "ON s.process = u.process AND s.device = u.device "
                       "LEFT JOIN framework_memory AS l "
                       "ON l.process = s.process AND l.id = s.last "
                       "LEFT JOIN store_trace AS t ON t.process = u.process "
                       "ORDER BY u.process, u.device"));
  ASSIGN_OR_RETURN(const Moments moments, ReadMoments(store));
  ASSIGN_OR_RETURN(const std::set<int64_t> without_sums, WithoutSums(store));
  for (UsageRow row; rows.Next(&row);) {
    if (row.device.device < 0) {
      const std::pair key(row.device.process, row.device.device);
      AddHost(row, moments.contains(key), &summary);
      continue;
    }
    DeviceSummary one = SummaryOf(row);
    FillMoment(moments, &one);
    one.only_since_profile = without_sums.contains(one.process);
    // A process that only looked at a device did not use it.
    if (one.allocations + one.frees + one.failed + one.peak_bytes == 0)
      continue;
    summary.devices.push_back(one);
  }
  RETURN_IF_ERROR(rows.statement().status());
  ASSIGN_OR_RETURN(summary.outside, OutsideOf(store));
  ASSIGN_OR_RETURN(summary.peaks, SummarizePeaks(store));
  ASSIGN_OR_RETURN(summary.short_lived, SummarizeShortLived(store));
  ASSIGN_OR_RETURN(summary.faults, SummarizeFaults(store));
  ASSIGN_OR_RETURN(summary.unjudged_leaks, UnjudgedIn(store));
  ASSIGN_OR_RETURN(const int64_t nanoseconds,
                   store->db().QueryInt(
                       "SELECT max(end_time) - min(start_time) FROM process"));
  summary.duration_s = static_cast<double>(nanoseconds) / 1e9;
  return summary;
}

Expected<std::vector<Figures>> CoverageRows(facts::Store* store) {
  std::vector<Figures> rows;
  ASSIGN_OR_RETURN(Statement row,
                   store->db().Prepare("SELECT * FROM coverage"));
  while (row.Step()) rows.push_back(findings::FiguresIn(row));
  RETURN_IF_ERROR(row.status());
  return rows;
}

}  // namespace inquest::report
