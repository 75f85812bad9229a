// SPDX-License-Identifier: Apache-2.0
// The settings of the simulated GPU: sizes, policies, other processes and
// faults, read once per library from SIMGPU_* in the environment.
//
// Called by every stand-in library; never by the code under test. A value that
// cannot be read is reported on stderr by libcuda alone (the other libraries
// read the same text silently) and the default is used: the simulator never
// aborts its host. Sizes are bytes. Immutable after the first call of
// GetConfig(), hence safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simgpu {

enum class Fit { kFirst, kBest };

// A process that exists only in SIMGPU_OTHER and holds memory of device 0.
struct OtherProcess {
  unsigned pid = 0;
  uint64_t bytes = 0;
  std::string name;
};

// One rule of SIMGPU_FAULT, see README.md. `call` is empty for an Xid.
struct FaultSpec {
  std::string call;
  uint64_t after = 0;
  uint64_t count = 1;
  int result = 0;
  bool sticky = false;
  bool async = false;
  uint64_t delay_us = 0;
  int xid = 0;
  uint64_t after_ms = 0;
  int device = 0;
};

struct Config {
  uint64_t memory = uint64_t{8} << 30;
  int devices = 1;
  Fit fit = Fit::kFirst;
  uint64_t context_bytes = 0;
  uint64_t module_bytes = uint64_t{2} << 20;
  std::vector<OtherProcess> others;
  std::string shared_path;
  std::string log_path;
  std::string name = "Simulated GPU";
  std::string driver_text = "580.65.06";
  int driver_version = 0;
  int compute_major = 8;
  int compute_minor = 6;
  std::vector<FaultSpec> faults;
};

// Reads "2GiB", "512M", "1e9" is refused; decimal units for kB, MB, GB.
bool ParseBytes(const std::string& text, uint64_t* bytes);

// Parses the environment. Each complaint is one line without newline.
Config ReadConfig(std::vector<std::string>* complaints);

// The process's configuration as this library sees it.
const Config& GetConfig();

// Prints the complaints of ReadConfig once; libcuda calls it in cuInit.
void ReportConfigComplaints();

}  // namespace simgpu
