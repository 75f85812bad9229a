// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/doctor.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "cli/doctor/checks.h"
#include "cli/doctor/helper.h"
#include "cli/record/collector_path.h"
#include "host/library_search.h"

namespace inquest::doctor {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A program that does nothing, with the collector in it; its answer is what the
// dynamic linker says about that.
void StartWithCollector(int fd, const std::string& collector) {
  if (collector.empty()) return;
  dup2(fd, STDERR_FILENO);
  const std::string value = record::PreloadValue(collector, "");
  setenv("LD_PRELOAD", value.c_str(), 1);
  setenv("INQUEST", "off", 1);
  execl("/bin/true", "true", nullptr);
}

}  // namespace

std::string Variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

std::string SystemRoot() {
  return Variable("INQUEST_SYSTEM_ROOT");
}

Checks Examine(const std::string& directory) {
  const auto start = steady_clock::now();
  Machine machine;
  machine.root = SystemRoot();
  machine.directory = directory;
  machine.libcuda = host::FindLibrary("libcuda.so.1", machine.root);
  machine.nvml = host::FindLibrary("libnvidia-ml.so.1", machine.root);
  const auto choice = record::FindCollector("");
  machine.collector = choice.path;
  machine.why_no_collector = choice.why_not;

  DriverProbe driver(machine.nvml, machine.libcuda);
  PythonProbe python;
  Helper preload([&](int fd) { StartWithCollector(fd, choice.path); });
  machine.python = python.AnswerUntil(start + milliseconds(1000));
  machine.frameworks = FindFrameworks(machine.python.folders, machine.root);
  machine.answers = driver.AnswersUntil(start + milliseconds(1500));
  std::optional<std::string> said =
      preload.AnswerUntil(start + milliseconds(1600));
  if (!preload.finished()) said.reset();

  Checks checks;
  CheckDriver(&machine, &checks);
  CheckDevices(machine, &checks);
  CheckCupti(machine, &checks);
  CheckFrameworks(machine, &checks);
  CheckCudnn(machine, &checks);
  CheckRunDirectory(machine, &checks);
  CheckLimits(machine, &checks);
  CheckKernelLog(machine, &checks);
  CheckPreload(machine, said, &checks);
  return checks;
}

State WorstOf(const Checks& checks) {
  State worst = State::kOk;
  for (const Check& check : checks) worst = std::max(worst, check.state);
  return worst;
}

}  // namespace inquest::doctor
