// SPDX-License-Identifier: Apache-2.0
// Asks NVML and the driver themselves, in a child, because either may hang on a
// broken GPU. No context is made, so no device memory is taken.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/doctor/helper.h"

namespace inquest::doctor {

struct DriverAnswers {
  // {error} or {driver, devices: [{name, total_bytes, used_bytes}]}
  std::optional<nlohmann::json> nvml;
  // {error, result} or {cuda, devices}
  std::optional<nlohmann::json> cuda;
};

class DriverProbe {
 public:
  // Paths of libnvidia-ml and libcuda; empty: not asked.
  DriverProbe(const std::string& nvml, const std::string& libcuda);
  // An answer that is missing did not come in time.
  DriverAnswers AnswersUntil(std::chrono::steady_clock::time_point deadline);

 private:
  // Two, because the one may hang where the other answers.
  Helper nvml_, cuda_;
};

}  // namespace inquest::doctor
