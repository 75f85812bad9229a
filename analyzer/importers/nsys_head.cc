#include "analyzer/importers/nsys_head.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <string_view>

#include "analyzer/base/glob.h"

namespace inquest::importers {
namespace {

constexpr int64_t kWallClock = 1'000'000'000'000'000'000;  // the year 2001

// Of the variables that the collector keeps, those that bear on a verdict.
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

std::optional<int64_t> NumberOf(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

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

// How the run was profiled and started; PROCESS_0 is what nsys was given.
void ReadCapture(ForeignTables* tables, NsysHead* head) {
  Statement row = tables->Select("META_DATA_CAPTURE", {"name", "value"});
  while (row.Step()) {
    const std::string name = TextAt(row, 0);
    const std::string value = TextAt(row, 1);
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
  tables->Note(row);
}

struct Clock {
  bool normalized = false;  // times are of the wall clock already
  int64_t shift_ns = 0;
};

Clock ReadExport(ForeignTables* tables, NsysHead* head) {
  Clock clock;
  for (const char* table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    Statement row = tables->Select(table, {"name", "value"});
    while (row.Step()) {
      const std::string_view name = row.Text(0);
      const std::string value = TextAt(row, 1);
      if (name == "EXPORT_PRODUCT_VERSION") head->product = value;
      if (name == "EXPORT_SCHEMA_VERSION") head->schema = value;
      if (name.ends_with("TIME_NORMALIZE")) clock.normalized = value == "true";
      if (name == "EXPORT_CONFIG_TIME_SHIFT") {
        clock.shift_ns = NumberOf(value).value_or(0);
      }
    }
    tables->Note(row);
  }
  return clock;
}

void ReadClock(ForeignTables* tables, const Clock& clock, NsysHead* head) {
  Statement start =
      tables->Select("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"});
  if (start.Step() && !clock.normalized) {
    const int64_t utc = IntegerAt(start, 0).value_or(0);
    if (__builtin_sub_overflow(utc, clock.shift_ns, &head->base_ns) ||
        utc < 0 || utc > 4 * kWallClock) {
      head->base_ns = 0;
    }
  }
  tables->Note(start);
  Statement details = tables->Select("ANALYSIS_DETAILS", {"duration"});
  if (details.Step()) {
    head->duration_ns =
        std::clamp<int64_t>(IntegerAt(details, 0).value_or(0), 0, kWallClock);
  }
  tables->Note(details);
}

// "525.105.17" from 52510517, as older versions write it.
std::string DriverVersion(const std::string& text) {
  const bool digits = std::all_of(text.begin(), text.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
  if (!digits || text.size() < 7 || text.size() > 8) return text;
  const size_t middle = text.size() - 5;
  return text.substr(0, 3) + '.' + text.substr(3, middle) + '.' +
         text.substr(3 + middle);
}

void ReadMachine(ForeignTables* tables, NsysHead* head) {
  Statement row = tables->Select("TARGET_INFO_SYSTEM_ENV", {"name", "value"});
  while (row.Step()) {
    const std::string_view name = row.Text(0);
    const std::string value = TextAt(row, 1);
    if (name == "Hostname") head->host = value;
    if (name == "NvDriverVersion") head->driver = DriverVersion(value);
    if (name == "CudaDriverVersion") head->cuda_driver = NumberOf(value);
  }
  tables->Note(row);
}

void ReadGpus(ForeignTables* tables, NsysHead* head) {
  Statement row = tables->Select(
      "TARGET_INFO_GPU", {"id", "cuDevice", "name", "busLocation", "uuid",
                          "totalMemory", "computeMajor", "computeMinor"});
  while (row.Step() && head->gpus.size() < 1024) {
    NsysGpu gpu;
    gpu.id = IntegerAt(row, 0).value_or(0);
    gpu.ordinal = IntegerAt(row, 1);
    gpu.name = TextAt(row, 2);
    gpu.pci = TextAt(row, 3);
    gpu.uuid = TextAt(row, 4);
    if (!gpu.uuid.empty() && !gpu.uuid.starts_with("GPU-")) {
      gpu.uuid.insert(0, "GPU-");
    }
    gpu.total_bytes = IntegerAt(row, 5).value_or(0);
    gpu.major = IntegerAt(row, 6).value_or(0);
    gpu.minor = IntegerAt(row, 7).value_or(0);
    head->gpus.push_back(std::move(gpu));
  }
  tables->Note(row);
}

// Those of whom events were recorded; the export names every process of the
// machine.
void FindProcesses(ForeignTables* tables, NsysHead* head) {
  struct Source {
    const char* table;
    const char* column;
  };
  constexpr Source kSources[] = {{"CUDA_GPU_MEMORY_USAGE_EVENTS", "globalPid"},
                                 {"CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid"},
                                 {"CUPTI_ACTIVITY_KIND_KERNEL", "globalPid"},
                                 {"CUPTI_ACTIVITY_KIND_MEMCPY", "globalPid"},
                                 {"CUDNN_EVENTS", "globalTid"},
                                 {"CUBLAS_EVENTS", "globalTid"},
                                 {"NVTX_EVENTS", "globalTid"},
                                 {"ProcessStreams", "globalPid"}};
  std::set<int64_t> found;
  for (const Source& source : kSources) {
    if (!tables->Has(source.table, source.column)) continue;
    // What a program printed says who ran only where nothing else does.
    if (source.table == std::string_view("ProcessStreams") && !found.empty()) {
      continue;
    }
    const std::string column = source.column;
    Statement row = tables->Query(
        "SELECT DISTINCT " + column + " & ~16777215 FROM " + source.table +
        " WHERE typeof(" + column + ") = 'integer' LIMIT 100000");
    while (row.Step()) found.insert(row.Int(0));
    tables->Note(row);
  }
  for (const int64_t global : found) {
    if (head->processes.size() == kMostProcesses) {
      ++head->more_processes;
    } else {
      head->processes.emplace_back().global = global;
    }
  }
}

NsysProcess* ProcessOf(NsysHead* head, int64_t global) {
  for (NsysProcess& one : head->processes) {
    if (one.global == global) return &one;
  }
  return nullptr;
}

NsysProcess* ProcessOfPid(NsysHead* head, int64_t pid) {
  for (NsysProcess& one : head->processes) {
    if (PidOf(one.global) == pid) return &one;
  }
  return nullptr;
}

void ReadProcesses(ForeignTables* tables, NsysHead* head) {
  Statement row = tables->Select("PROCESSES", {"globalPid", "name"});
  while (row.Step()) {
    NsysProcess* process = ProcessOf(head, row.Int(0));
    if (process != nullptr) process->name = TextAt(row, 1);
  }
  tables->Note(row);
}

void TakeAllGpus(const NsysHead& head, NsysProcess* process) {
  for (size_t i = 0; i < head.gpus.size(); ++i) {
    const int64_t ordinal = head.gpus[i].ordinal.value_or(head.gpus[i].id);
    if (ordinal >= 0) process->devices.emplace(ordinal, i);
  }
}

// Ordinals are the process's own where it sees only some of the GPUs.
void ReadDevices(ForeignTables* tables, NsysHead* head) {
  Statement row =
      tables->Select("TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"});
  while (row.Step()) {
    NsysProcess* process = ProcessOfPid(head, row.Int(2));
    for (size_t i = 0; i < head->gpus.size() && process != nullptr; ++i) {
      if (head->gpus[i].id == row.Int(0)) process->devices[row.Int(1)] = i;
    }
  }
  tables->Note(row);
  for (NsysProcess& process : head->processes) {
    if (process.devices.empty()) TakeAllGpus(*head, &process);
  }
}

void ReadUsedDevices(ForeignTables* tables, NsysHead* head) {
  std::set<std::pair<int64_t, int64_t>> used;
  for (const char* table :
       {"TARGET_INFO_CUDA_CONTEXT_INFO", "TARGET_INFO_CUDA_NULL_STREAM"}) {
    Statement row = tables->Select(table, {"processId", "deviceId"});
    while (row.Step() && used.size() < 100'000) {
      used.emplace(row.Int(0), row.Int(1));
    }
    tables->Note(row);
  }
  for (const auto& [pid, device] : used) {
    NsysProcess* process = ProcessOfPid(head, pid);
    if (process != nullptr) process->used.push_back(device);
  }
}

// "MPI Rank 3" is what nsys calls the thread that begins a rank. Of a single
// process the launcher's variables tell as well.
void ReadRanks(ForeignTables* tables, NsysHead* head) {
  constexpr std::string_view kName = "MPI Rank ";
  constexpr int kThreadNames = 39;  // NVTX events of that type
  if (tables->Has("NVTX_EVENTS", "text") &&
      tables->Has("NVTX_EVENTS", "eventType") &&
      tables->Has("NVTX_EVENTS", "globalTid")) {
    Statement row = tables->Query(
        "SELECT globalTid, text FROM NVTX_EVENTS WHERE eventType = " +
        std::to_string(kThreadNames));
    while (row.Step()) {
      const std::string_view text = row.Text(1);
      NsysProcess* process = ProcessOf(head, GlobalProcessOf(row.Int(0)));
      if (process == nullptr || !text.starts_with(kName)) continue;
      process->rank = NumberOf(text.substr(kName.size()));
    }
    tables->Note(row);
  }
  if (head->processes.size() != 1) return;
  for (const char* name : {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"}) {
    const auto told = head->environment.find(name);
    if (head->processes[0].rank || told == head->environment.end()) continue;
    head->processes[0].rank = NumberOf(told->second);
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
  FindProcesses(tables, &head);
  ReadProcesses(tables, &head);
  ReadDevices(tables, &head);
  ReadUsedDevices(tables, &head);
  ReadRanks(tables, &head);
  return head;
}

}  // namespace inquest::importers
