// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/nsys/nsys_head.h"

#include <algorithm>
#include <string_view>

#include "base/glob.h"
#include "base/text.h"

namespace inquest::importers {
namespace {

constexpr size_t kMaxGpus = 1024;
constexpr int64_t kWallClock = 1'000'000'000'000'000'000;  // the year 2001

// The variables among those the collector keeps that can affect a verdict.
constexpr std::string_view kVariables[] = {"CUDA_*",
                                           "CUDNN_*",
                                           "NVIDIA_*",
                                           "NCCL_*",
                                           "TORCH_NCCL_*",
                                           "PYTORCH_*",
                                           "TF_*",
                                           "XLA_*",
                                           "JAX_*",
                                           "RANK",
                                           "LOCAL_RANK",
                                           "WORLD_SIZE",
                                           "SLURM_JOB_ID",
                                           "SLURM_PROCID",
                                           "SLURM_NTASKS",
                                           "OMPI_COMM_WORLD_*",
                                           "OMP_NUM_THREADS",
                                           "LD_LIBRARY_PATH",
                                           "LD_PRELOAD"};

// NAME="value"
void TakeVariable(const std::string& text, NsysHead* head) {
  const size_t equals = text.find('=');
  if (equals == text.npos) return;
  const std::string name = text.substr(0, equals);
  const bool wanted = std::any_of(
      std::begin(kVariables), std::end(kVariables),
      [&](std::string_view glob) { return MatchesGlob(glob, name); });
  if (!wanted) return;
  std::string value = text.substr(equals + 1);
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  head->environment.emplace(name, value);
}

// How the run was profiled and started; PROCESS_0 is the command given to nsys.
void ReadCapture(ForeignTables* tables, NsysHead* head) {
  ForeignRows rows = tables->Select("META_DATA_CAPTURE", {"name", "value"});
  std::string name, value;
  while (rows.Next(&name, &value)) {
    if (name.ends_with("COLLECT_GPU_MEMORY_USAGE")) {
      head->asked_memory =
          head->asked_memory.value_or(false) || value == "true" || value == "1";
    } else if (name == "PROCESS_0:COMMAND" ||
               name.starts_with("PROCESS_0:ARGUMENT_")) {
      head->command.push_back(value);
    } else if (name == "PROCESS_0:ENVIRONMENT_VARIABLE") {
      TakeVariable(value, head);
    }
  }
}

struct Clock {
  bool normalized = false;  // times are wall clock already
  int64_t shift_ns = 0;
};

Clock ReadExport(ForeignTables* tables, NsysHead* head) {
  Clock clock;
  for (const char* table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    ForeignRows rows = tables->Select(table, {"name", "value"});
    std::string name, value;
    while (rows.Next(&name, &value)) {
      if (name == "EXPORT_PRODUCT_VERSION") head->product = value;
      if (name == "EXPORT_SCHEMA_VERSION") head->schema = value;
      if (name.ends_with("TIME_NORMALIZE")) clock.normalized = value == "true";
      if (name == "EXPORT_CONFIG_TIME_SHIFT") {
        clock.shift_ns = NumberIn(value).value_or(0);
      }
    }
  }
  return clock;
}

void ReadClock(ForeignTables* tables, const Clock& clock, NsysHead* head) {
  int64_t utc = 0;
  if (tables->Select("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"})
          .Next(&utc) &&
      !clock.normalized) {
    if (__builtin_sub_overflow(utc, clock.shift_ns, &head->base_ns) ||
        utc < 0 || utc > 4 * kWallClock) {
      head->base_ns = 0;
    }
  }
  int64_t duration = 0;
  if (tables->Select("ANALYSIS_DETAILS", {"duration"}).Next(&duration)) {
    head->duration_ns = std::clamp<int64_t>(duration, 0, kWallClock);
  }
}

// "525.105.17" from 52510517, as older versions write it.
std::string DriverVersion(const std::string& text) {
  const bool digits = std::all_of(text.begin(), text.end(), IsDigit);
  if (!digits || text.size() < 7 || text.size() > 8) return text;
  const size_t middle = text.size() - 5;
  return text.substr(0, 3) + '.' + text.substr(3, middle) + '.' +
         text.substr(3 + middle);
}

void ReadMachine(ForeignTables* tables, NsysHead* head) {
  ForeignRows rows =
      tables->Select("TARGET_INFO_SYSTEM_ENV", {"name", "value"});
  std::string name, value;
  while (rows.Next(&name, &value)) {
    if (name == "Hostname") head->host = value;
    if (name == "NvDriverVersion") head->driver = DriverVersion(value);
    if (name == "CudaDriverVersion") head->cuda_driver = NumberIn(value);
  }
}

void ReadGpus(ForeignTables* tables, NsysHead* head) {
  ForeignRows rows = tables->Select(
      "TARGET_INFO_GPU", {"id", "cuDevice", "name", "busLocation", "uuid",
                          "totalMemory", "computeMajor", "computeMinor"});
  NsysGpu gpu;
  while (head->gpus.size() < kMaxGpus &&
         rows.Next(&gpu.id, &gpu.ordinal, &gpu.name, &gpu.pci, &gpu.uuid,
                   &gpu.total_bytes, &gpu.major, &gpu.minor)) {
    if (!gpu.uuid.empty() && !gpu.uuid.starts_with("GPU-")) {
      gpu.uuid.insert(0, "GPU-");
    }
    head->gpus.push_back(gpu);
  }
}

// The table of early 2021 and before, with CUPTI's names.
void ReadOldGpus(ForeignTables* tables, NsysHead* head) {
  ForeignRows rows = tables->Select(
      "TARGET_INFO_CUDA_GPU",
      {"deviceId", "id", "name", "uuid", "globalMemorySize", "totalMemory",
       "computeCapabilityMajor", "computeCapabilityMinor"});
  NsysGpu gpu;
  std::optional<int64_t> device, bytes;
  int64_t id = 0, total_bytes = 0;
  while (head->gpus.size() < kMaxGpus &&
         rows.Next(&device, &id, &gpu.name, &gpu.uuid, &bytes, &total_bytes,
                   &gpu.major, &gpu.minor)) {
    gpu.id = device.value_or(id);
    gpu.total_bytes = bytes.value_or(total_bytes);
    head->gpus.push_back(gpu);
  }
}

}  // namespace

bool IsNsysExport(const ForeignTables& tables) {
  constexpr std::string_view kOwn[] = {
      "EXPORT_META_DATA", "META_DATA_EXPORT",
      "TARGET_INFO_GPU",  "TARGET_INFO_SYSTEM_ENV",
      "ANALYSIS_DETAILS", "CUPTI_ACTIVITY_KIND_RUNTIME",
      "NVTX_EVENTS",      "CUPTI_ACTIVITY_KIND_KERNEL",
      "COMPOSITE_EVENTS", "CUDA_GPU_MEMORY_USAGE_EVENTS"};
  return tables.Has("StringIds", "value") &&
         std::any_of(std::begin(kOwn), std::end(kOwn),
                     [&](std::string_view one) { return tables.Has(one); });
}

NsysHead ReadNsysHead(ForeignTables* tables) {
  NsysHead head;
  const Clock clock = ReadExport(tables, &head);
  ReadClock(tables, clock, &head);
  ReadCapture(tables, &head);
  ReadMachine(tables, &head);
  ReadGpus(tables, &head);
  if (head.gpus.empty()) ReadOldGpus(tables, &head);
  ReadNsysProcesses(tables, &head);
  return head;
}

}  // namespace inquest::importers
