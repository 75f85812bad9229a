// SPDX-License-Identifier: Apache-2.0
#include "core/config.h"

#include <cuda.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include "core/fault_spec.h"
#include "core/text.h"

namespace simgpu {
namespace {

constexpr uint64_t kMinMemory = uint64_t{64} << 20;
constexpr uint64_t kMaxMemory = uint64_t{1} << 40;
constexpr uint64_t kDefaultContext = uint64_t{300} << 20;
constexpr int kMaxDevices = 8;

using Complaints = std::vector<std::string>;

std::string Env(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void Complain(Complaints* out, const char* name, const std::string& value,
              const std::string& why) {
  out->push_back("simgpu: " + std::string(name) + "=\"" + value + "\": " + why);
}

void ReadBytes(const char* name, uint64_t low, uint64_t high, uint64_t* value,
               Complaints* out) {
  const std::string text = Env(name);
  uint64_t read = 0;
  if (text.empty()) return;
  if (!ParseBytes(text, &read) || read < low || read > high) {
    Complain(out, name, text,
             "not a size between " + std::to_string(low) + " and " +
                 std::to_string(high) + " bytes; using " +
                 std::to_string(*value));
    return;
  }
  *value = read;
}

void ReadInt(const char* name, int low, int high, int* value, Complaints* out) {
  const std::string text = Env(name);
  uint64_t read = 0;
  if (text.empty()) return;
  if (!ParseNumber(text, &read) || read < static_cast<uint64_t>(low) ||
      read > static_cast<uint64_t>(high)) {
    Complain(out, name, text,
             "not a number from " + std::to_string(low) + " to " +
                 std::to_string(high) + "; using " + std::to_string(*value));
    return;
  }
  *value = static_cast<int>(read);
}

void ReadFit(Fit* fit, Complaints* out) {
  const std::string text = Env("SIMGPU_FIT");
  if (text == "best") *fit = Fit::kBest;
  if (text.empty() || text == "best" || text == "first") return;
  Complain(out, "SIMGPU_FIT", text, "neither first nor best; using first");
}

void ReadOthers(std::vector<OtherProcess>* others, Complaints* out) {
  const std::string text = Env("SIMGPU_OTHER");
  for (const std::string& item : Split(text, ',')) {
    const std::vector<std::string> parts = Split(item, ':');
    OtherProcess other;
    uint64_t pid = 0;
    if (parts.size() < 2 || !ParseNumber(parts[0], &pid) ||
        !ParseBytes(parts[1], &other.bytes)) {
      Complain(out, "SIMGPU_OTHER", item, "not pid:bytes[:name]; left out");
      continue;
    }
    other.pid = static_cast<unsigned>(pid);
    other.name = parts.size() > 2 ? parts[2] : "python";
    others->push_back(other);
  }
}

void ReadDriver(Config* config, Complaints* out) {
  config->driver_version = CUDA_VERSION;
  ReadInt("SIMGPU_DRIVER_VERSION", 1000, 99990, &config->driver_version, out);
  const std::string text = Env("SIMGPU_DRIVER");
  if (!text.empty()) config->driver_text = text;
}

void ReadCapability(Config* config, Complaints* out) {
  int capability = config->compute_major * 10 + config->compute_minor;
  ReadInt("SIMGPU_COMPUTE_CAPABILITY", 30, 129, &capability, out);
  config->compute_major = capability / 10;
  config->compute_minor = capability % 10;
}

void ReadFaults(Config* config, Complaints* out) {
  for (const std::string& rule : Split(Env("SIMGPU_FAULT"), ';')) {
    FaultSpec spec;
    const std::string why = ParseFault(rule, &spec);
    if (why.empty()) {
      config->faults.push_back(spec);
    } else {
      Complain(out, "SIMGPU_FAULT", rule, why + "; rule left out");
    }
  }
}

Complaints g_complaints;

Config ReadOnce() {
  return ReadConfig(&g_complaints);
}

}  // namespace

Config ReadConfig(std::vector<std::string>* complaints) {
  Config config;
  ReadBytes("SIMGPU_MEMORY", kMinMemory, kMaxMemory, &config.memory,
            complaints);
  config.context_bytes = std::min(kDefaultContext, config.memory / 16);
  ReadBytes("SIMGPU_CONTEXT_BYTES", 0, config.memory, &config.context_bytes,
            complaints);
  ReadBytes("SIMGPU_MODULE_BYTES", 0, config.memory, &config.module_bytes,
            complaints);
  ReadInt("SIMGPU_DEVICES", 0, kMaxDevices, &config.devices, complaints);
  ReadFit(&config.fit, complaints);
  ReadOthers(&config.others, complaints);
  ReadDriver(&config, complaints);
  ReadCapability(&config, complaints);
  ReadFaults(&config, complaints);
  config.shared_path = Env("SIMGPU_SHARED");
  config.log_path = Env("SIMGPU_LOG");
  const std::string name = Env("SIMGPU_NAME");
  if (!name.empty()) config.name = name;
  return config;
}

const Config& GetConfig() {
  static const Config* config = new Config(ReadOnce());
  return *config;
}

void ReportConfigComplaints() {
  GetConfig();
  for (const std::string& line : g_complaints) {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  g_complaints.clear();
}

}  // namespace simgpu
