// SPDX-License-Identifier: Apache-2.0
// The processes of an export, their devices and ranks.
#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/importers/nsys/nsys_head.h"

namespace inquest::importers {
namespace {

// Only processes with events; the export names every process of the machine.
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
    // Program output counts only if nothing else shows which processes ran.
    if (source.table == std::string_view("ProcessStreams") && !found.empty()) {
      continue;
    }
    const std::string column = source.column;
    ForeignRows rows = tables->Query(
        "SELECT DISTINCT " + column + " & ~16777215 FROM " + source.table +
        " WHERE typeof(" + column + ") = 'integer' LIMIT 100000");
    for (int64_t global = 0; rows.Next(&global);) found.insert(global);
  }
  for (const int64_t global : found) {
    if (head->processes.size() == kMaxProcesses) {
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
  ForeignRows rows = tables->Select("PROCESSES", {"globalPid", "name"});
  int64_t global = 0;
  std::string name;
  while (rows.Next(&global, &name)) {
    NsysProcess* process = ProcessOf(head, global);
    if (process != nullptr) process->name = name;
  }
}

void TakeAllGpus(const NsysHead& head, NsysProcess* process) {
  for (size_t i = 0; i < head.gpus.size(); ++i) {
    const int64_t ordinal = head.gpus[i].ordinal.value_or(head.gpus[i].id);
    if (ordinal >= 0) process->devices.emplace(ordinal, i);
  }
}

// A process that sees only some of the GPUs has its own numbers for them.
void ReadDevices(ForeignTables* tables, NsysHead* head) {
  ForeignRows rows =
      tables->Select("TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"});
  int64_t gpu = 0, ordinal = 0, pid = 0;
  while (rows.Next(&gpu, &ordinal, &pid)) {
    NsysProcess* process = ProcessOfPid(head, pid);
    for (size_t i = 0; i < head->gpus.size() && process != nullptr; ++i) {
      if (head->gpus[i].id == gpu) process->devices[ordinal] = i;
    }
  }
  for (NsysProcess& process : head->processes) {
    if (process.devices.empty()) TakeAllGpus(*head, &process);
  }
}

// Pairs of a pid or global id and a device.
using Used = std::set<std::pair<int64_t, int64_t>>;

void ReadPairs(ForeignTables* tables, const char* table, const char* process,
               Used* used) {
  if (!tables->Has(table, process) || !tables->Has(table, "deviceId")) return;
  ForeignRows rows = tables->Query(
      std::string("SELECT DISTINCT ") + process + ", deviceId FROM " + table +
      " WHERE typeof(deviceId) = 'integer' LIMIT 100000");
  int64_t id = 0, device = 0;
  while (rows.Next(&id, &device)) used->emplace(id, device);
}

// By their contexts or, if these are missing, by what ran on them.
void ReadUsedDevices(ForeignTables* tables, NsysHead* head) {
  Used by_pid, by_global;
  ReadPairs(tables, "TARGET_INFO_CUDA_CONTEXT_INFO", "processId", &by_pid);
  ReadPairs(tables, "TARGET_INFO_CUDA_NULL_STREAM", "processId", &by_pid);
  if (by_pid.empty()) {
    ReadPairs(tables, "CUDA_GPU_MEMORY_USAGE_EVENTS", "globalPid", &by_global);
    ReadPairs(tables, "CUPTI_ACTIVITY_KIND_KERNEL", "globalPid", &by_global);
  }
  for (const auto& [global, device] : by_global) {
    by_pid.emplace(PidOf(global), device);
  }
  for (const auto& [pid, device] : by_pid) {
    NsysProcess* process = ProcessOfPid(head, pid);
    if (process != nullptr) process->used.push_back(device);
  }
}

// nsys calls the main thread of a rank "MPI Rank 3". For a single process the
// launcher's variables have the rank, too.
void ReadRanks(ForeignTables* tables, NsysHead* head) {
  constexpr std::string_view kName = "MPI Rank ";
  constexpr int kThreadNames = 39;  // NVTX events of that type
  if (tables->Has("NVTX_EVENTS", "text") &&
      tables->Has("NVTX_EVENTS", "eventType") &&
      tables->Has("NVTX_EVENTS", "globalTid")) {
    ForeignRows rows = tables->Query(
        "SELECT globalTid, text FROM NVTX_EVENTS WHERE eventType = " +
        std::to_string(kThreadNames));
    int64_t global = 0;
    std::string_view text;
    while (rows.Next(&global, &text)) {
      NsysProcess* process = ProcessOf(head, GlobalProcessOf(global));
      if (process == nullptr || !text.starts_with(kName)) continue;
      process->rank = NumberIn(text.substr(kName.size()));
    }
  }
  if (head->processes.size() != 1) return;
  for (const char* name : {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"}) {
    const auto told = head->environment.find(name);
    if (head->processes[0].rank || told == head->environment.end()) continue;
    head->processes[0].rank = NumberIn(told->second);
  }
}

}  // namespace

std::optional<int64_t> NumberIn(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

void ReadNsysProcesses(ForeignTables* tables, NsysHead* head) {
  FindProcesses(tables, head);
  ReadProcesses(tables, head);
  ReadDevices(tables, head);
  ReadUsedDevices(tables, head);
  ReadRanks(tables, head);
}

}  // namespace inquest::importers
