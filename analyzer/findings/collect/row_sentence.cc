// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/row_sentence.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/units.h"

namespace inquest::findings {
namespace {

std::string_view At(const RowText& row, std::string_view column) {
  const auto found = row.find(column);
  return found == row.end() ? std::string_view() : found->second;
}

int64_t NumberAt(const RowText& row, std::string_view column) {
  return strtoll(std::string(At(row, column)).c_str(), nullptr, 10);
}

// "15:28:43.125 UTC ", or nothing where the time is not known.
std::string Clock(const RowText& row) {
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t time = NumberAt(row, "time");
  if (time <= 0) return {};
  return fmt::format("{:%H:%M:%S}.{:03} UTC ", fmt::gmtime(time / kSecond),
                     time % kSecond / 1'000'000);
}

std::string OnDevice(const RowText& row) {
  const std::string_view device = At(row, "device");
  if (device.empty() || device == "-1") return {};
  return fmt::format(" on GPU {}", device);
}

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

std::string ControlGroup(const RowText& row) {
  std::string text =
      fmt::format("{}the control group {}", Clock(row), At(row, "path"));
  if (!At(row, "limit_bytes").empty()) {
    text += fmt::format(", with a limit of {},",
                        FormatBytes(NumberAt(row, "limit_bytes")));
  }
  return text + fmt::format(" counts {} kills for lack of memory",
                            NumberAt(row, "oom_kills"));
}

std::string Process(const RowText& row) {
  std::string text = fmt::format("process {}", At(row, "pid"));
  if (!At(row, "host").empty()) text += fmt::format(" on {}", At(row, "host"));
  if (At(row, "state") == "vanished") text += " left no word of its end";
  if (At(row, "state") == "ended") text += " ended in order";
  if (At(row, "state") == "alive") text += " is alive";
  return text;
}

}  // namespace

std::string RowSentence(std::string_view fact, const RowText& row) {
  if (fact == "memory_event") return MemoryEvent(row);
  if (fact == "framework_oom") return FrameworkRefusal(row);
  if (fact == "api_error") return ApiError(row);
  if (fact == "device_event") return DeviceEvent(row);
  if (fact == "cgroup_memory") return ControlGroup(row);
  if (fact == "run") return Run(row);
  if (fact == "process") return Process(row);
  return {};
}

}  // namespace inquest::findings
