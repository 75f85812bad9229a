// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/nsys/nsys_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace inquest::importers {
namespace {

// NVTX event types, as documented.
constexpr int64_t kMark = 34, kPushPop = 59, kStartEnd = 60;
constexpr int64_t kMaxRequestBytes = int64_t{1} << 50;
constexpr size_t kMaxStacks = 500'000;

// Libraries between a program and the driver.
bool IsDriver(std::string_view module) {
  for (const char* part : {"libcuda.so", "libcudart", "libcupti", "libnvidia",
                           "libToolsInjection"}) {
    if (module.find(part) != module.npos) return true;
  }
  return false;
}

}  // namespace

// The order of rows in an export is roughly that of time, and in a truncated
// file the only one there is.
std::string NsysEvents::InOrderOf(std::string_view columns) const {
  return tables_->cut() ? "" : fmt::format(" ORDER BY {}", columns);
}

NsysTrace* NsysEvents::TraceOf(int64_t global) {
  const auto found = traces_->find(GlobalProcessOf(global));
  return found == traces_->end() ? nullptr : found->second.get();
}

// Frames are function names, innermost first.
uint32_t NsysEvents::StackOf(int64_t callchain, NsysTrace* trace) {
  if (callchain == 0 || !tables_->Has("CUDA_CALLCHAINS", "stackDepth")) {
    return 0;
  }
  const auto known = stacks_.find({trace, callchain});
  if (known != stacks_.end()) return known->second;
  ForeignRows rows = tables_->Query(
      "SELECT f.value, m.value FROM CUDA_CALLCHAINS AS c "
      "LEFT JOIN StringIds AS f ON f.id = c.symbol "
      "LEFT JOIN StringIds AS m ON m.id = c.module WHERE c.id = ? "
      "ORDER BY c.stackDepth LIMIT 256");
  rows.BindAll(callchain);
  std::vector<uint32_t> frames;
  std::string function, module;
  while (rows.Next(&function, &module)) {
    if (frames.empty() && IsDriver(module)) continue;
    // The name of its library says more than an unresolved address.
    if (function.empty() || function.starts_with("0x")) {
      function = std::filesystem::path(module).filename().string();
    }
    frames.push_back(trace->stacks().Frame("", 0, function));
  }
  const uint32_t stack = trace->stacks().Stack(frames);
  if (stacks_.size() < kMaxStacks) stacks_[{trace, callchain}] = stack;
  return stack;
}

void NsysEvents::AddMemory(const MemoryRow& row) {
  NsysTrace* trace = row.global ? TraceOf(*row.global) : nullptr;
  if (!row.time || !row.device || !row.address || !row.bytes || !row.op ||
      *row.op < 0 || *row.op > 1 || *row.bytes < 0 ||
      *row.bytes > kMaxRequestBytes || *row.device < 0 ||
      *row.device > INT16_MAX || trace == nullptr) {
    ++malformed_["CUDA_GPU_MEMORY_USAGE_EVENTS"];
    return;
  }
  NsysMemory event;
  event.time = *row.time;
  event.device = *row.device;
  event.context = row.context;
  event.address = *row.address;
  event.bytes = *row.bytes;
  event.kind = row.kind.value_or(2);
  event.frees = *row.op == 1;
  event.stream = row.stream;
  event.pool = row.local_pool != 0 ? row.local_pool : row.imported_pool;
  event.thread = row.thread & kThreadMask;
  event.stack = StackOf(row.callchain, trace);
  trace->Add(event);
}

// The call stack is that of the call that caused the event.
void NsysEvents::ReadMemory() {
  constexpr const char* kTable = "CUDA_GPU_MEMORY_USAGE_EVENTS";
  if (!tables_->Has(kTable, "start")) return;
  const auto column = [&](const char* name) {
    return tables_->Has(kTable, name) ? std::string("m.") + name
                                      : std::string("NULL");
  };
  std::string list;
  for (const char* name :
       {"start", "globalPid", "deviceId", "contextId", "address", "bytes",
        "memKind", "memoryOperationType", "streamId", "localMemoryPoolAddress",
        "importedMemoryPoolAddress"}) {
    list += column(name) + ", ";
  }
  const bool stacks =
      !tables_->cut() && HasRows("CUPTI_ACTIVITY_KIND_RUNTIME") &&
      tables_->Has(kTable, "correlationId") &&
      tables_->Has(kTable, "globalPid") &&
      tables_->Has("CUPTI_ACTIVITY_KIND_RUNTIME", "callchainId") &&
      tables_->Has("CUDA_CALLCHAINS", "stackDepth");
  const std::string join =
      stacks ? " LEFT JOIN (SELECT correlationId AS c, globalTid AS t, "
               "callchainId AS s FROM CUPTI_ACTIVITY_KIND_RUNTIME "
               "WHERE callchainId IS NOT NULL) AS r ON r.c = m.correlationId "
               "AND (r.t & ~16777215) = m.globalPid"
             : "";
  ForeignRows rows =
      tables_->Query("SELECT " + list + (stacks ? "r.t, r.s" : "NULL, NULL") +
                     " FROM " + kTable + " AS m" + join + InOrderOf("m.start"));
  MemoryRow row;
  while (rows.Next(&row.time, &row.global, &row.device, &row.context,
                   &row.address, &row.bytes, &row.kind, &row.op, &row.stream,
                   &row.local_pool, &row.imported_pool, &row.thread,
                   &row.callchain)) {
    AddMemory(row);
  }
}

void NsysEvents::ReadFailures() {
  constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
  for (const char* column :
       {"start", "end", "globalTid", "nameId", "returnValue"}) {
    if (!tables_->Has(kTable, column)) return;
  }
  const char* chain =
      tables_->Has(kTable, "callchainId") ? "r.callchainId" : "NULL";
  ForeignRows rows = tables_->Query(fmt::format(
      "SELECT r.start, r.\"end\", r.globalTid, s.value, r.returnValue, {} "
      "FROM {} AS r LEFT JOIN StringIds AS s ON s.id = r.nameId "
      "WHERE r.returnValue <> 0{}",
      chain, kTable, InOrderOf("r.start")));
  std::optional<int64_t> begin, end, global, result;
  int64_t callchain = 0;
  NsysCall call;
  while (
      rows.Next(&begin, &end, &global, &call.function, &result, &callchain)) {
    NsysTrace* trace = global ? TraceOf(*global) : nullptr;
    if (!begin || !result || trace == nullptr) {
      ++malformed_[kTable];
      continue;
    }
    call.begin = *begin;
    call.end = end.value_or(*begin);
    call.thread = *global & kThreadMask;
    call.result = *result;
    call.stack = StackOf(callchain, trace);
    trace->Add(call);
  }
}

void NsysEvents::ReadRanges() {
  constexpr const char* kTable = "NVTX_EVENTS";
  for (const char* column : {"start", "end", "eventType", "globalTid"}) {
    if (!tables_->Has(kTable, column)) return;
  }
  const char* text = tables_->Has(kTable, "text") ? "n.text" : "NULL";
  const bool ids = tables_->Has(kTable, "textId");
  ForeignRows rows = tables_->Query(fmt::format(
      "SELECT n.start, n.\"end\", n.eventType, n.globalTid, "
      "coalesce({}, {}), {} FROM NVTX_EVENTS AS n {} "
      "WHERE n.eventType IN ({}, {}, {}){}",
      text, ids ? "s.value" : "NULL",
      tables_->Has(kTable, "domainId") ? "n.domainId" : "NULL",
      ids ? "LEFT JOIN StringIds AS s ON s.id = n.textId" : "", kMark, kPushPop,
      kStartEnd, InOrderOf("n.start, n.\"end\" DESC")));
  std::optional<int64_t> begin, global;
  int64_t type = 0, domain = 0;
  NsysRange range;
  while (rows.Next(&begin, &range.end, &type, &global, &range.name, &domain)) {
    NsysTrace* trace = global ? TraceOf(*global) : nullptr;
    if (!begin || trace == nullptr) {
      ++malformed_[kTable];
      continue;
    }
    range.begin = *begin;
    range.thread = *global & kThreadMask;
    range.pushed = type == kPushPop;
    range.mark = type == kMark;
    range.library = domain != 0;
    trace->Add(range);
  }
}

void NsysEvents::ReadLibraryCalls() {
  for (const char* column : {"start", "end", "globalTid", "nameId"}) {
    if (!tables_->Has("CUDNN_EVENTS", column)) return;
  }
  ForeignRows rows = tables_->Query(
      "SELECT k.globalTid & ~16777215, s.value, count(*), "
      "CAST(total(k.\"end\" - k.start) AS INTEGER), max(k.\"end\" - k.start) "
      "FROM CUDNN_EVENTS AS k JOIN StringIds AS s ON s.id = k.nameId "
      "WHERE s.value IS NOT NULL GROUP BY 1, 2");
  int64_t global = 0, calls = 0, total_ns = 0, max_ns = 0;
  std::string_view function;
  while (rows.Next(&global, &function, &calls, &total_ns, &max_ns)) {
    NsysTrace* trace = TraceOf(global);
    if (trace == nullptr) continue;
    trace->AddLibraryCalls(function, calls, total_ns, max_ns);
  }
}

void NsysEvents::ReadAll() {
  ReadMemory();
  ReadFailures();
  ReadRanges();
  ReadLibraryCalls();
  ReadDiagnostics();
  WriteCoverage();
}

}  // namespace inquest::importers
