// SPDX-License-Identifier: Apache-2.0
// The run itself as JSON, and the GPUs of findings by their UUID.
#include <nlohmann/json.hpp>
#include <set>

#include "analyzer/report/json_values.h"
#include "analyzer/report/run_summary.h"
#include "base/text.h"

namespace inquest::report {
namespace {

using nlohmann::json;

json TextOrNull(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

// Each GPU once, however many processes saw it.
json RunGpus(const std::vector<GpuSeen>& gpus) {
  json all = json::array();
  std::set<std::string> told;
  for (const GpuSeen& gpu : gpus) {
    if (!told.insert(gpu.uuid).second) continue;
    all.push_back({{"uuid", gpu.uuid},
                   {"host", TextOrNull(gpu.host)},
                   {"pci", TextOrNull(gpu.pci)},
                   {"name", TextOrNull(gpu.name)},
                   {"driver", TextOrNull(gpu.driver)}});
  }
  return all;
}

// "0000:3b:00" for 0000:3B:00.0 and 0000:3b:00: the kernel leaves the function
// out.
std::string SlotOf(std::string_view pci) {
  std::string slot(pci.substr(0, pci.find('.')));
  for (char& c : slot) c = static_cast<char>(tolower(c));
  return slot;
}

bool IsOn(const GpuSeen& gpu, const json& host) {
  return !host.is_string() || gpu.host == host.get<std::string>();
}

// The UUIDs that a unit may mean; a lone one is the answer.
std::set<std::string> Candidates(const json& unit, const json& figures,
                                 const std::vector<GpuSeen>& gpus) {
  std::set<std::string> fitting;
  const auto pci = figures.find("pci");
  for (const GpuSeen& gpu : gpus) {
    if (!IsOn(gpu, unit["host"])) continue;
    const bool by_slot = pci != figures.end() && pci->is_string() &&
                         SlotOf(pci->get<std::string>()) == SlotOf(gpu.pci);
    const bool by_number = unit["device"] == json(gpu.device) &&
                           (unit["pid"].is_null() || unit["pid"] == gpu.pid);
    if (by_slot || (pci == figures.end() && by_number)) {
      fitting.insert(gpu.uuid);
    }
  }
  return fitting;
}

}  // namespace

json RunJson(const RunSummary& run) {
  return {{"id", run.id},
          {"job", TextOrNull(run.job)},
          {"job_from", TextOrNull(run.job_from)},
          {"host", TextOrNull(run.host)},
          {"start_time", OrNull(run.start_time)},
          {"end_time", OrNull(run.end_time)},
          {"times_from", TextOrNull(run.times_from)},
          {"exit_code", OrNull(run.exit_code)},
          {"signal", OrNull(run.signal)},
          {"world_size", OrNull(run.world_size)},
          {"first_step", OrNull(run.steps.first)},
          {"last_step", OrNull(run.steps.last)},
          {"steps_from", TextOrNull(run.steps.from)},
          {"gpus", RunGpus(run.gpus)},
          {"versions", run.versions}};
}

void NameGpu(const std::vector<GpuSeen>& gpus, json* finding) {
  json& unit = (*finding)["unit"];
  const std::set<std::string> fitting =
      Candidates(unit, (*finding)["facts"], gpus);
  if (fitting.size() == 1) unit["gpu"] = *fitting.begin();
}

}  // namespace inquest::report
