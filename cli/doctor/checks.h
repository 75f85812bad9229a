// SPDX-License-Identifier: Apache-2.0
// What `inquest doctor` looks at. Each function adds its rows; none changes the
// machine, and none waits for anything but the answers it is given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/check.h"
#include "cli/doctor/driver_probe.h"
#include "cli/doctor/frameworks.h"
#include "cli/doctor/python_path.h"

namespace inquest::doctor {

// What has been found out before the checks.
struct Machine {
  std::string root;     // of /proc, /sys, /dev and /etc
  std::string libcuda;  // its file; empty: none
  std::string nvml;     // that of libnvidia-ml
  std::string driver;   // the release, as far as known
  DriverAnswers answers;
  PythonPath python;
  std::vector<Framework> frameworks;
  std::string directory;  // where runs would be kept
  std::string collector;  // its file; empty: none
  std::string why_no_collector;
};

void CheckDriver(Machine* machine, Checks* checks);  // sets `driver`
void CheckDevices(const Machine& machine, Checks* checks);
void CheckCupti(const Machine& machine, Checks* checks);
void CheckFrameworks(const Machine& machine, Checks* checks);
void CheckCudnn(const Machine& machine, Checks* checks);
void CheckRunDirectory(const Machine& machine, Checks* checks);
void CheckLimits(const Machine& machine, Checks* checks);
void CheckKernelLog(const Machine& machine, Checks* checks);
// `said`: what the dynamic linker printed when a program was started with it;
// none: that did not end in time.
void CheckPreload(const Machine& machine,
                  const std::optional<std::string>& said, Checks* checks);

}  // namespace inquest::doctor
