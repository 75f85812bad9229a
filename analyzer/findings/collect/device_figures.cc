// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/device_figures.h"

#include <map>
#include <string>
#include <utility>

namespace inquest::findings {
namespace {

struct Device {
  std::string name;
  int64_t bytes = 0;
};
using Devices = std::map<std::pair<int64_t, int64_t>, Device>;

Expected<Devices> ReadDevices(facts::Store* store) {
  Devices devices;
  ASSIGN_OR_RETURN(Statement row,
                   store->db().Prepare(
                       "SELECT process, device, gpu, total_bytes FROM device"));
  int64_t process = 0, ordinal = 0;
  Device one;
  while (row.Next(&process, &ordinal, &one.name, &one.bytes)) {
    devices[{process, ordinal}] = one;
  }
  RETURN_IF_ERROR(row.status());
  return devices;
}

bool IsOfTrace(const Finding& finding) {
  return finding.unit.process && finding.unit.device.value_or(-1) >= 0;
}

}  // namespace

Status AddDeviceFigures(facts::Store* store, Diagnosis* diagnosis) {
  ASSIGN_OR_RETURN(const Devices devices, ReadDevices(store));
  if (devices.empty()) return Status::Ok();
  for (Finding& finding : diagnosis->findings) {
    if (!IsOfTrace(finding)) continue;
    const auto known =
        devices.find({*finding.unit.process, *finding.unit.device});
    if (known == devices.end()) continue;
    const auto& [name, bytes] = known->second;
    if (!name.empty() && !finding.figures.Contains("gpu")) {
      finding.figures["gpu"] = name;
    }
    const bool of_memory = finding.cause.starts_with("memory/");
    if (of_memory && bytes > 0 && !finding.figures.Contains("total_bytes")) {
      finding.figures["total_bytes"] = bytes;
    }
  }
  return Status::Ok();
}

}  // namespace inquest::findings
