#include "analyzer/report/summary.h"

#include "analyzer/findings/collect/row_figures.h"

namespace inquest::report {
namespace {

// What the pool reserved is what it took from the driver or, where that was not
// recorded, what it reported itself.
void TakePool(const Statement& row, DeviceSummary* device) {
  if (device->peak_bytes > 0) {
    device->reserved_peak_bytes = device->peak_bytes;
    device->reserved_bytes = device->live_bytes;
  } else if (!row.IsNull(14) && !row.IsNull(15)) {
    device->reserved_peak_bytes = row.Int(14);
    device->reserved_bytes = row.Int(15);
  }
  if (!row.IsNull(17) && !row.IsNull(18)) {
    device->allocated_peak_bytes = row.Int(17);
    device->allocated_bytes = row.Int(18);
  }
  device->allocations = row.Int(9);
  device->frees = row.Int(10);
  device->peak_bytes = row.Int(11);
  device->peak_time = row.Int(12);
  device->live_bytes = row.Int(13);
  if (row.Int(16) > 0) device->before_bytes = row.Int(16);
}

}  // namespace

Expected<Summary> Summarize(facts::Store* store, int64_t events) {
  Summary summary;
  summary.events = events;
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT u.process, u.device, u.allocations, u.frees, u.failed, "
          "u.peak_bytes, u.peak_time, u.live_bytes, u.capacity_bytes, "
          "u.framework_allocations, u.framework_frees, "
          "u.framework_peak_bytes, u.framework_peak_time, "
          "u.framework_live_bytes, s.reserved_peak, l.reserved_bytes, "
          "u.framework_before_bytes, s.allocated_peak, l.allocated_bytes "
          "FROM device_usage AS u "
          "LEFT JOIN (SELECT process, device, max(id) AS last, "
          "max(peak_reserved_bytes) AS reserved_peak, "
          "max(peak_allocated_bytes) AS allocated_peak "
          "FROM framework_memory GROUP BY process, device) AS s "
          "ON s.process = u.process AND s.device = u.device "
          "LEFT JOIN framework_memory AS l "
          "ON l.process = s.process AND l.id = s.last "
          "WHERE u.device >= 0 ORDER BY u.process, u.device"));
  while (row.Step()) {
    DeviceSummary device;
    device.process = row.Int(0);
    device.device = row.Int(1);
    device.allocations = row.Int(2);
    device.frees = row.Int(3);
    device.failed = row.Int(4);
    device.peak_bytes = row.Int(5);
    device.peak_time = row.Int(6);
    device.live_bytes = row.Int(7);
    if (!row.IsNull(8)) device.capacity_bytes = row.Int(8);
    if (!row.IsNull(9)) TakePool(row, &device);
    summary.devices.push_back(device);
  }
  RETURN_IF_ERROR(row.status());
  ASSIGN_OR_RETURN(summary.peaks, SummarizePeaks(store));
  ASSIGN_OR_RETURN(summary.short_lived, SummarizeShortLived(store));
  ASSIGN_OR_RETURN(summary.faults, SummarizeFaults(store));
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
