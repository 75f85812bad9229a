// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/row_sentence.h"

#include <fmt/format.h>

#include <utility>

#include "analyzer/findings/collect/hang_sentence.h"
#include "analyzer/findings/collect/row_words.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

// The call that a kind of memory comes from.
std::string_view CallOf(std::string_view kind) {
  static constexpr std::pair<std::string_view, std::string_view> kCalls[] = {
      {"device", "cudaMalloc"},
      {"managed", "cudaMallocManaged"},
      {"async", "cudaMallocAsync"},
      {"host", "cudaHostAlloc"},
      {"physical", "cuMemCreate"},
      {"array", "cudaMallocArray"},
      {"segment", "a segment of the framework"},
      {"framework", "a block of the framework"}};
  for (const auto& [name, call] : kCalls) {
    if (name == kind) return call;
  }
  return {};
}

std::string MemoryEvent(const RowText& row) {
  const std::string_view call = CallOf(At(row, "kind"));
  if (At(row, "op") != "alloc" || call.empty()) return {};
  const std::string_view result = At(row, "result");
  const std::string end = result == "0"
                              ? std::string("made")
                              : fmt::format("refused (CUDA error {})", result);
  return fmt::format("{}{} of {}{} {}", Clock(row), call,
                     FormatBytes(NumberAt(row, "bytes")), OnDevice(row), end);
}

// What the allocator inside a framework could not serve.
std::string FrameworkRefusal(const RowText& row) {
  std::string text =
      fmt::format("{}the framework's allocator gave up on {}{}", Clock(row),
                  FormatBytes(NumberAt(row, "requested_bytes")), OnDevice(row));
  if (!At(row, "allocated_bytes").empty()) {
    text += fmt::format(", with {} live",
                        FormatBytes(NumberAt(row, "allocated_bytes")));
  }
  if (!At(row, "reserved_bytes").empty()) {
    text += fmt::format(" of {} that it held",
                        FormatBytes(NumberAt(row, "reserved_bytes")));
  }
  return text;
}

std::string ApiError(const RowText& row) {
  std::string text =
      fmt::format("{}{} returned {} ({}){}", Clock(row), At(row, "function"),
                  At(row, "name"), At(row, "result"), OnDevice(row));
  if (!At(row, "text").empty()) text += fmt::format(": {}", At(row, "text"));
  return text;
}

std::string DeviceEvent(const RowText& row) {
  const std::string_view kind = At(row, "kind");
  if (kind == "exit") {
    return fmt::format("{}the process ended with exit status {}", Clock(row),
                       At(row, "value"));
  }
  if (kind == "signal") {
    return fmt::format("{}the process got signal {}", Clock(row),
                       At(row, "value"));
  }
  if (kind == "xid") {
    return fmt::format("{}NVML told of Xid {}{}", Clock(row), At(row, "value"),
                       OnDevice(row));
  }
  if (kind == "ecc") {
    return fmt::format("{}{} more uncorrected memory errors{}", Clock(row),
                       At(row, "value"), OnDevice(row));
  }
  return {};
}

std::string Run(const RowText& row) {
  if (!At(row, "signal").empty() && At(row, "signal") != "0") {
    return fmt::format("the command died of signal {}", At(row, "signal"));
  }
  if (!At(row, "exit_code").empty()) {
    return fmt::format("the command ended with exit status {}",
                       At(row, "exit_code"));
  }
  return "the command's end was not recorded";
}

std::string Process(const RowText& row) {
  std::string text = fmt::format("process {}", At(row, "pid"));
  if (!At(row, "host").empty()) text += fmt::format(" on {}", At(row, "host"));
  if (At(row, "state") == "vanished") text += " left no word of its end";
  if (At(row, "state") == "ended") text += " ended in order";
  if (At(row, "state") == "alive") text += " is alive";
  return text;
}

std::string Cgroup(const RowText& row) {
  std::string text =
      fmt::format("{}control group {}: ", Clock(row), At(row, "path"));
  text += At(row, "limit_bytes").empty()
              ? "no limit of its own"
              : "limit " + FormatBytes(NumberAt(row, "limit_bytes"));
  if (!At(row, "peak_bytes").empty()) {
    text += fmt::format(", at most {} used",
                        FormatBytes(NumberAt(row, "peak_bytes")));
  }
  if (!At(row, "oom_kills").empty()) {
    text += fmt::format(", processes killed in it: {}", At(row, "oom_kills"));
  }
  return text;
}

std::string CudnnInterval(const RowText& row) {
  std::string text =
      fmt::format("{}{}", Clock(row, "first_time"), At(row, "function"));
  if (!At(row, "operation").empty()) {
    text += fmt::format(" on {}", At(row, "operation"));
  }
  text += fmt::format(": {} calls with a workspace of {}", At(row, "calls"),
                      FormatBytes(NumberAt(row, "workspace_bytes")));
  if (At(row, "algorithm") != "-1") {
    text += fmt::format(", algorithm {}", At(row, "algorithm"));
  }
  if (!At(row, "knobs").empty()) text += fmt::format(", {}", At(row, "knobs"));
  return text;
}

}  // namespace

std::string RowSentence(std::string_view fact, const RowText& row) {
  if (fact == "memory_event") return MemoryEvent(row);
  if (fact == "framework_oom") return FrameworkRefusal(row);
  if (fact == "api_error") return ApiError(row);
  if (fact == "device_event") return DeviceEvent(row);
  if (fact == "run") return Run(row);
  if (fact == "process") return Process(row);
  if (fact == "cgroup_memory") return Cgroup(row);
  if (fact == "cudnn_interval") return CudnnInterval(row);
  if (fact == "collective_stall") return StallSentence(row);
  if (fact == "collective_rank") return StalledRankSentence(row);
  if (fact == "collective_absent") return AbsentRankSentence(row);
  if (fact == "stack_hang") return StackHangSentence(row);
  return {};
}

}  // namespace inquest::findings
