#include "analyzer/report/summary.h"

namespace inquest::report {

namespace {

// What the pool held is what it took from the driver or, where that was not
// recorded, what it said itself.
void TakePool(const Statement& row, DeviceSummary* device) {
  if (device->peak_bytes > 0) {
    device->reserved_peak_bytes = device->peak_bytes;
    device->reserved_bytes = device->live_bytes;
  } else if (!row.IsNull(14) && !row.IsNull(15)) {
    device->reserved_peak_bytes = row.Int(14);
    device->reserved_bytes = row.Int(15);
  }
  device->allocations = row.Int(9);
  device->frees = row.Int(10);
  device->peak_bytes = row.Int(11);
  device->peak_time = row.Int(12);
  device->live_bytes = row.Int(13);
}

}  // namespace

Expected<Summary> Summarize(facts::Store* store, int64_t events) {
  Summary summary;
  summary.events = events;
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT process, device, allocations, frees, failed, peak_bytes, "
          "peak_time, live_bytes, capacity_bytes, framework_allocations, "
          "framework_frees, framework_peak_bytes, framework_peak_time, "
          "framework_live_bytes, "
          "(SELECT max(f.peak_reserved_bytes) FROM framework_memory AS f "
          "WHERE f.process = u.process AND f.device = u.device), "
          "(SELECT f.reserved_bytes FROM framework_memory AS f "
          "WHERE f.process = u.process AND f.device = u.device "
          "ORDER BY f.id DESC LIMIT 1) FROM device_usage AS u "
          "WHERE device >= 0 ORDER BY process, device"));
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
  ASSIGN_OR_RETURN(summary.faults, SummarizeFaults(store));
  ASSIGN_OR_RETURN(const int64_t nanoseconds,
                   store->db().QueryInt(
                       "SELECT max(end_time) - min(start_time) FROM process"));
  summary.duration_s = static_cast<double>(nanoseconds) / 1e9;
  return summary;
}

Expected<nlohmann::json> CoverageRows(facts::Store* store) {
  nlohmann::json rows = nlohmann::json::array();
  ASSIGN_OR_RETURN(Statement row,
                   store->db().Prepare("SELECT * FROM coverage"));
  while (row.Step()) {
    nlohmann::json one;
    for (int i = 0; i < row.columns(); ++i) {
      nlohmann::json& field = one[std::string(row.ColumnName(i))];
      if (row.IsInteger(i)) {
        field = row.Int(i);
      } else if (!row.IsNull(i)) {
        field = std::string(row.Text(i));
      }
    }
    rows.push_back(std::move(one));
  }
  RETURN_IF_ERROR(row.status());
  return rows;
}

}  // namespace inquest::report
