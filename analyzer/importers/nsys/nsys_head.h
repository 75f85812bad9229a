// SPDX-License-Identifier: Apache-2.0
// What an Nsight Systems export says about the run as a whole: the machine, its
// GPUs, the processes with events, the clock, and what nsys was set to record.
// Tables and columns come and go between versions of the exporter (schemas 1 to
// 3, "SQLite Schema Reference" in its documentation); missing values stay
// empty. For nsys_trace.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/importers/common/foreign_tables.h"

namespace inquest::importers {

// A global id is 8 bits of host, 8 of virtual machine, 24 of process and 24 of
// thread.
inline constexpr int64_t kThreadMask = 0xffffff;
inline int64_t GlobalProcessOf(int64_t global) {
  return global & ~kThreadMask;
}
inline int64_t PidOf(int64_t global) {
  return global >> 24 & kThreadMask;
}

struct NsysGpu {
  int64_t id = 0;
  std::optional<int64_t> ordinal;  // of CUDA
  std::string name, pci, uuid;
  int64_t total_bytes = 0;
  int64_t major = 0, minor = 0;
};

struct NsysProcess {
  int64_t global = 0;
  std::string name;
  std::optional<int64_t> rank;
  std::map<int64_t, size_t> devices;  // CUDA's ordinal: index in gpus
  std::vector<int64_t> used;          // ordinals, if known
};

struct NsysHead {
  std::string product, schema;
  std::string host, driver;
  std::optional<int64_t> cuda_driver;
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;
  // COLLECT_GPU_MEMORY_USAGE, if the export has it.
  std::optional<bool> asked_memory;
  int64_t base_ns = 0;  // to be added to a time to get the wall clock
  int64_t duration_ns = 0;
  std::vector<NsysGpu> gpus;
  std::vector<NsysProcess> processes;  // by pid
  int64_t more_processes = 0;          // beyond kMaxProcesses
};

inline constexpr size_t kMaxProcesses = 64;

// Whether these are the exporter's tables.
bool IsNsysExport(const ForeignTables& tables);
NsysHead ReadNsysHead(ForeignTables* tables);

// Parts of it: the processes, and parsing a text that is only a number.
void ReadNsysProcesses(ForeignTables* tables, NsysHead* head);
std::optional<int64_t> NumberIn(std::string_view text);

}  // namespace inquest::importers
