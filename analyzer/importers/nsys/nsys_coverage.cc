// SPDX-License-Identifier: Apache-2.0
// Records how complete an export is, by its own messages and by its missing
// tables.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "analyzer/importers/nsys/nsys_events.h"

namespace inquest::importers {
namespace {

// "" for mere information.
std::string_view SeverityOf(int64_t level) {
  if (level == 2) return "warning";
  return level == 3 ? "error" : "";
}

bool ReportsLoss(const std::string& text) {
  for (const char* words :
       {"might have not been collected", "might not have been collected",
        "events might have been collected", "profiling might have not been",
        "lost", "dropped", "discarded", "No CUDA events collected",
        "may be incomplete"}) {
    if (text.find(words) != text.npos) return true;
  }
  return false;
}

}  // namespace

void NsysEvents::Cover(std::string_view source, std::string_view state,
                       const std::string& note) {
  for (auto& [global, trace] : *traces_) trace->Cover(source, state, note);
}

bool NsysEvents::HasRows(const char* table) {
  return tables_->Select(table, {"start"}, "LIMIT 1").Next();
}

// Messages of the profiler about itself and about how the program ended.
void NsysEvents::ReadDiagnostics() {
  std::set<std::pair<NsysTrace*, std::string>> told;
  ForeignRows rows = tables_->Select(
      "DIAGNOSTIC_EVENT", {"timestamp", "severity", "text", "globalPid"},
      "LIMIT 100000");
  int64_t time = 0, level = 0, global = 0;
  std::string text;
  while (rows.Next(&time, &level, &text, &global)) {
    const std::string_view severity = SeverityOf(level);
    NsysTrace* one = TraceOf(global);
    // Messages without a process are the profiler's own. Helper processes have
    // no trace.
    if (one == nullptr && PidOf(global) == 0 && !traces_->empty()) {
      one = traces_->begin()->second.get();
    }
    if (one == nullptr) continue;
    one->AddMessage(time, severity, text);
    if (!severity.empty() && ReportsLoss(text) &&
        told.emplace(one, text).second) {
      one->Cover("nsys", "failed", text);
    }
  }
}

// Older exporters create every table, so an empty one means nothing either.
void NsysEvents::CoverMemory() {
  const char* const kSource = "nsys-memory";
  if (HasRows("CUDA_GPU_MEMORY_USAGE_EVENTS")) {
    for (auto& [global, trace] : *traces_) {
      trace->Cover(
          kSource, "on",
          fmt::format("{} successful allocations and frees; the sizes of "
                      "failed ones are not in the export",
                      trace->memory_events()));
    }
  } else if (head_.asked_memory.value_or(false)) {
    Cover(kSource, "on", "recorded, but nothing was allocated or freed");
  } else {
    Cover(kSource, "off",
          "allocations and frees were not recorded: nsys profile "
          "--cuda-memory-usage=true records them");
  }
}

void NsysEvents::CoverTable(const char* source, const char* table,
                            const char* what, const char* how) {
  if (HasRows(table)) {
    Cover(source, "on", what);
  } else {
    Cover(source, "off",
          fmt::format("the export has none: either not recorded ({}) or none "
                      "happened",
                      how));
  }
}

void NsysEvents::WriteCoverage() {
  CoverMemory();
  CoverTable("nsys-cuda", "CUPTI_ACTIVITY_KIND_RUNTIME",
             "results of CUDA calls", "--trace=cuda");
  CoverTable("nsys-nvtx", "NVTX_EVENTS", "ranges and marks", "--trace=nvtx");
  CoverTable("nsys-cudnn", "CUDNN_EVENTS",
             "calls of cuDNN; their results are not recorded", "--trace=cudnn");
  if (tables_->Has("CUBLAS_EVENTS")) {
    CoverTable("nsys-cublas", "CUBLAS_EVENTS",
               "calls of cuBLAS, which a trace "
               "does not store",
               "--trace=cublas");
  }
  for (const auto& [table, count] : malformed_) {
    Cover("nsys", "failed",
          fmt::format("{} invalid rows of {} are left out", count, table));
  }
  if (head_.more_processes > 0) {
    Cover("nsys", "failed",
          fmt::format("{} more processes are left out", head_.more_processes));
  }
}

}  // namespace inquest::importers
