// SPDX-License-Identifier: Apache-2.0
// Parts that several JSON reports share. Internal to report/.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "analyzer/findings/finding.h"
#include "analyzer/report/run_summary.h"
#include "analyzer/report/summary.h"
#include "base/figures_json.h"

namespace inquest::report {

// Unknown values are null.
inline nlohmann::json OrNull(const std::optional<int64_t>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json FindingJson(const findings::Finding& finding,
                           const findings::Diagnosis& diagnosis);
nlohmann::json SummaryJson(const Summary& summary);
nlohmann::json RunJson(const RunSummary& run);
// Adds the UUID of a finding's GPU to its unit, where exactly one fits. The
// same for a verdict, which has the same keys.
void NameGpu(const std::vector<GpuSeen>& gpus, nlohmann::json* finding);

}  // namespace inquest::report
