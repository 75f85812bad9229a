#include "analyzer/importers/nsys/nsys_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace inquest::importers {
namespace {

// NVTX events, as the documentation numbers them.
constexpr int64_t kMark = 34, kPushPop = 59, kStartEnd = 60;
constexpr int64_t kMostBytes = int64_t{1} << 50;
constexpr size_t kMostStacks = 500'000;

// Of the machinery between a program and the driver.
bool IsDriver(std::string_view module) {
  for (const char* part : {"libcuda.so", "libcudart", "libcupti", "libnvidia",
                           "libToolsInjection"}) {
    if (module.find(part) != module.npos) return true;
  }
  return false;
}

}  // namespace

NsysTrace* NsysEvents::TraceOf(int64_t global) {
  const auto found = traces_->find(GlobalProcessOf(global));
  return found == traces_->end() ? nullptr : found->second.get();
}

// The frames are names, innermost first.
uint32_t NsysEvents::StackOf(int64_t callchain, NsysTrace* trace) {
  if (callchain == 0 || !tables_->Has("CUDA_CALLCHAINS", "stackDepth")) {
    return 0;
  }
  const auto known = stacks_.find({trace, callchain});
  if (known != stacks_.end()) return known->second;
  Statement row = tables_->Query(
      "SELECT f.value, m.value FROM CUDA_CALLCHAINS AS c "
      "LEFT JOIN StringIds AS f ON f.id = c.symbol "
      "LEFT JOIN StringIds AS m ON m.id = c.module WHERE c.id = ? "
      "ORDER BY c.stackDepth LIMIT 256");
  row.Bind(0, callchain);
  std::vector<uint32_t> frames;
  while (row.Step()) {
    const std::string module = TextAt(row, 1);
    if (frames.empty() && IsDriver(module)) continue;
    std::string function = TextAt(row, 0);
    // An address that was not resolved says less than where it lies.
    if (function.empty() || function.starts_with("0x")) {
      function = std::filesystem::path(module).filename().string();
    }
    frames.push_back(trace->stacks().Frame("", 0, function));
  }
  tables_->Note(row);
  const uint32_t stack = trace->stacks().Stack(frames);
  if (stacks_.size() < kMostStacks) stacks_[{trace, callchain}] = stack;
  return stack;
}

void NsysEvents::AddMemory(const Statement& row) {
  const auto time = IntegerAt(row, 0), global = IntegerAt(row, 1);
  const auto device = IntegerAt(row, 2), address = IntegerAt(row, 4);
  const auto bytes = IntegerAt(row, 5), op = IntegerAt(row, 7);
  NsysTrace* trace = global ? TraceOf(*global) : nullptr;
  if (!time || !device || !address || !bytes || !op || *op < 0 || *op > 1 ||
      *bytes < 0 || *bytes > kMostBytes || *device < 0 || *device > INT16_MAX ||
      trace == nullptr) {
    ++malformed_["CUDA_GPU_MEMORY_USAGE_EVENTS"];
    return;
  }
  NsysMemory event;
  event.time = *time;
  event.device = *device;
  event.context = IntegerAt(row, 3).value_or(0);
  event.address = *address;
  event.bytes = *bytes;
  event.kind = IntegerAt(row, 6).value_or(2);
  event.frees = *op == 1;
  event.stream = IntegerAt(row, 8).value_or(0);
  event.pool = IntegerAt(row, 9).value_or(0);
  if (event.pool == 0) event.pool = IntegerAt(row, 10).value_or(0);
  event.thread = IntegerAt(row, 11).value_or(0) & kThreadMask;
  event.stack = StackOf(IntegerAt(row, 12).value_or(0), trace);
  trace->Add(event);
}

// A call stack belongs to the call that an event came from.
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
      HasRows("CUPTI_ACTIVITY_KIND_RUNTIME") &&
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
  Statement row =
      tables_->Query("SELECT " + list + (stacks ? "r.t, r.s" : "NULL, NULL") +
                     " FROM " + kTable + " AS m" + join + " ORDER BY m.start");
  while (row.Step()) AddMemory(row);
  tables_->Note(row);
}

void NsysEvents::AddFailure(const Statement& row) {
  const auto begin = IntegerAt(row, 0), end = IntegerAt(row, 1);
  const auto global = IntegerAt(row, 2), result = IntegerAt(row, 4);
  NsysTrace* trace = global ? TraceOf(*global) : nullptr;
  if (!begin || !result || trace == nullptr) {
    ++malformed_["CUPTI_ACTIVITY_KIND_RUNTIME"];
    return;
  }
  NsysCall call;
  call.begin = *begin;
  call.end = end.value_or(*begin);
  call.thread = *global & kThreadMask;
  call.function = TextAt(row, 3);
  call.result = *result;
  call.stack = StackOf(IntegerAt(row, 5).value_or(0), trace);
  trace->Add(call);
}

void NsysEvents::ReadFailures() {
  constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
  for (const char* column :
       {"start", "end", "globalTid", "nameId", "returnValue"}) {
    if (!tables_->Has(kTable, column)) return;
  }
  const char* chain =
      tables_->Has(kTable, "callchainId") ? "r.callchainId" : "NULL";
  Statement row = tables_->Query(fmt::format(
      "SELECT r.start, r.\"end\", r.globalTid, s.value, r.returnValue, {} "
      "FROM {} AS r LEFT JOIN StringIds AS s ON s.id = r.nameId "
      "WHERE r.returnValue <> 0 ORDER BY r.start",
      chain, kTable));
  while (row.Step()) AddFailure(row);
  tables_->Note(row);
}

void NsysEvents::ReadRanges() {
  constexpr const char* kTable = "NVTX_EVENTS";
  for (const char* column : {"start", "end", "eventType", "globalTid"}) {
    if (!tables_->Has(kTable, column)) return;
  }
  const char* text = tables_->Has(kTable, "text") ? "n.text" : "NULL";
  const bool ids = tables_->Has(kTable, "textId");
  Statement row = tables_->Query(fmt::format(
      "SELECT n.start, n.\"end\", n.eventType, n.globalTid, "
      "coalesce({}, {}), {} FROM NVTX_EVENTS AS n {} "
      "WHERE n.eventType IN ({}, {}, {}) ORDER BY n.start, n.\"end\" DESC",
      text, ids ? "s.value" : "NULL",
      tables_->Has(kTable, "domainId") ? "n.domainId" : "NULL",
      ids ? "LEFT JOIN StringIds AS s ON s.id = n.textId" : "", kMark, kPushPop,
      kStartEnd));
  while (row.Step()) {
    const auto begin = IntegerAt(row, 0), global = IntegerAt(row, 3);
    NsysTrace* trace = global ? TraceOf(*global) : nullptr;
    if (!begin || trace == nullptr) {
      ++malformed_[kTable];
      continue;
    }
    NsysRange range;
    range.begin = *begin;
    range.end = IntegerAt(row, 1);
    range.thread = *global & kThreadMask;
    range.name = row.Text(4);
    range.pushed = row.Int(2) == kPushPop;
    range.mark = row.Int(2) == kMark;
    range.library = IntegerAt(row, 5).value_or(0) != 0;
    trace->Add(range);
  }
  tables_->Note(row);
}

void NsysEvents::ReadLibraryCalls() {
  for (const char* column : {"start", "end", "globalTid", "nameId"}) {
    if (!tables_->Has("CUDNN_EVENTS", column)) return;
  }
  Statement row = tables_->Query(
      "SELECT k.globalTid & ~16777215, s.value, count(*), "
      "total(k.\"end\" - k.start), max(k.\"end\" - k.start) "
      "FROM CUDNN_EVENTS AS k JOIN StringIds AS s ON s.id = k.nameId "
      "GROUP BY 1, 2");
  while (row.Step()) {
    NsysTrace* trace = TraceOf(row.Int(0));
    if (trace == nullptr || row.IsNull(1)) continue;
    trace->AddLibraryCalls(row.Text(1), row.Int(2), row.Int(3), row.Int(4));
  }
  tables_->Note(row);
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
