// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/nsys/nsys_trace.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "analyzer/importers/common/cuda_results.h"
#include "analyzer/importers/nsys/nsys_names.h"
#include "trace/records/event.h"
#include "trace/records/result_meaning.h"
#include "trace/records/step_names.h"

namespace inquest::importers {
namespace {

using trace::IsHarmlessCudaResult;
using trace::IsStickyCudaResult;
using trace::kCudaOutOfMemory;
using trace::MemoryKind;
using trace::MemoryOp;

constexpr int64_t kMaxErrors = 100'000;  // kept one by one
constexpr int64_t kMaxStepsPerSecond = 1000;
constexpr int64_t kMaxTime = 4'000'000'000'000'000'000;
constexpr size_t kMaxRangeName = 200;

}  // namespace

NsysTrace::NsysTrace(const NsysHead& head, const NsysProcess& process,
                     TraceFile file)
    : head_(head), process_(process), file_(std::move(file)), stacks_(&file_) {}

int64_t NsysTrace::Time(int64_t time) {
  int64_t wall = 0;
  if (__builtin_add_overflow(time, head_.base_ns, &wall) || wall < 0 ||
      wall > kMaxTime) {
    wall = head_.base_ns;
  }
  first_ns_ = std::min(first_ns_, wall);
  last_ns_ = std::max(last_ns_, wall);
  return wall;
}

void NsysTrace::Add(const NsysMemory& event) {
  ++memory_events_;
  TraceEvent row;
  row.id = ++id_;
  row.time_ns = Time(event.time);
  row.op = event.frees ? MemoryOp::kFree : MemoryOp::kAlloc;
  row.kind = MemoryKindOf(event.kind, event.pool != 0);
  row.device = row.kind == MemoryKind::kHost ? -1 : event.device;
  row.context = event.context;
  row.stream = static_cast<uint64_t>(event.stream);
  row.pool = static_cast<uint64_t>(event.pool);
  row.address = static_cast<uint64_t>(event.address);
  row.bytes = event.frees ? 0 : event.bytes;
  row.thread = event.thread;
  row.stack = event.stack;
  if (failure_.ok()) failure_ = file_.Add(row);
}

// The export has neither size nor device of a failed request. A runtime call
// and the driver call inside it are one request.
void NsysTrace::Refuse(const NsysCall& call) {
  int64_t& until = refused_[call.thread];
  if (call.begin < until) return;
  until = call.end;
  TraceEvent row;
  row.id = ++id_;
  row.time_ns = Time(call.end);
  row.kind =
      IsOfHostMemory(call.function) ? MemoryKind::kHost : MemoryKind::kDevice;
  if (row.kind == MemoryKind::kDevice && process_.used.size() == 1) {
    row.device = process_.used.front();
  }
  row.result = call.result;
  row.thread = call.thread;
  row.stack = call.stack;
  if (failure_.ok()) failure_ = file_.Add(row);
}

void NsysTrace::Add(const NsysCall& call) {
  if (IsHarmlessCudaResult(call.result)) {
    ++harmless_;
    return;
  }
  const std::string function = FunctionName(call.function);
  if (call.result == kCudaOutOfMemory && IsAllocation(function)) Refuse(call);
  if (++errors_ > kMaxErrors) return;
  const bool runtime = IsRuntimeFunction(function);
  file_.AddRow("api_error", errors_, Time(call.end),
               runtime ? "runtime" : "driver", function, call.result,
               CudaResultName(call.result, runtime), "",
               process_.used.size() == 1 ? process_.used.front() : -1,
               call.thread, call.stack, IsStickyCudaResult(call.result), 0);
}

void NsysTrace::Add(const NsysRange& range) {
  const trace::RangeKind kind = trace::KindOfRange(range.name);
  if (kind == trace::RangeKind::kOperation) return;
  bool outermost = false;
  if (range.pushed && !range.library) {
    int64_t& open =
        outermost_.try_emplace(range.thread, INT64_MIN).first->second;
    outermost = range.begin >= open;
    if (outermost) open = range.end.value_or(INT64_MAX);
  }
  if (!outermost && kind == trace::RangeKind::kOther) return;
  const int64_t begin = Time(range.begin);
  if (begin / 1'000'000'000 != second_) steps_in_second_ = 0;
  second_ = begin / 1'000'000'000;
  if (++steps_in_second_ > kMaxStepsPerSecond) {
    ++lost_steps_;
    return;
  }
  std::optional<int64_t> end;
  if (range.mark) end = begin;
  if (range.end) end = std::max(begin, Time(*range.end));
  file_.AddRow("step", nullptr, range.name.substr(0, kMaxRangeName), begin, end,
               range.thread);
}

void NsysTrace::AddLibraryCalls(std::string_view function, int64_t calls,
                                int64_t total_ns, int64_t max_ns) {
  file_.Execute("INSERT OR IGNORE INTO cudnn_stat VALUES(?,0,?,?,?)", function,
                calls, total_ns, max_ns);
}

// The program's exit code or signal, as the profiler reports it.
void NsysTrace::NoteExit(int64_t time, std::string_view text) {
  static const auto* signalled = new RE2(
      "(?i)(?:terminated|killed|crashed|died|exited)\\b.*\\bsignal:? (\\d+)");
  static const auto* exited = new RE2(
      "(?i)(?:exit(?:ed with)?(?: with)?|return(?:ed)?)\\b.*"
      "\\b(?:exit )?(?:code|status):? (-?\\d+)");
  int64_t value = 0;
  const bool killed = RE2::PartialMatch(text, *signalled, &value);
  if (!killed && !RE2::PartialMatch(text, *exited, &value)) return;
  file_.AddRow("device_event", ++exits_, Time(time), -1,
               killed ? "signal" : "exit", value, text);
}

void NsysTrace::AddMessage(int64_t time, std::string_view severity,
                           std::string_view text) {
  NoteExit(time, text);
  if (severity.empty()) return;
  file_.AddRow("message", ++messages_, Time(time), "nsys", severity, text);
}

void NsysTrace::Cover(std::string_view source, std::string_view state,
                      std::string_view note) {
  const int64_t from = head_.base_ns;
  file_.Coverage(source, from, from + head_.duration_ns, state, note);
}

void NsysTrace::WriteDevice(int64_t ordinal, const NsysGpu& gpu) {
  const std::string capability =
      gpu.major == 0 ? "" : fmt::format("{}.{}", gpu.major, gpu.minor);
  std::optional<std::string> driver;
  if (!head_.driver.empty()) driver = head_.driver;
  file_.AddRow("device", ordinal, gpu.name, gpu.uuid, gpu.pci, gpu.total_bytes,
               capability, driver, head_.cuda_driver, nullptr);
}

// The driver version is known even for a device without a description.
void NsysTrace::WriteDevices() {
  for (const auto& [ordinal, index] : process_.devices) {
    WriteDevice(ordinal, head_.gpus[index]);
  }
  for (const int64_t ordinal : process_.used) {
    if (!process_.devices.contains(ordinal)) WriteDevice(ordinal, {});
  }
}

TraceProcess NsysTrace::Process() const {
  TraceProcess process;
  process.pid = PidOf(process_.global);
  process.host = head_.host;
  process.executable = process_.name;
  process.rank = process_.rank;
  process.command = process_.name;
  // The command lines of child processes are not in the export.
  const bool launched =
      !head_.command.empty() &&
      (head_.processes.size() < 2 || head_.command.front() == process_.name);
  if (launched)
    process.command = fmt::format("{}", fmt::join(head_.command, " "));
  return process;
}

Status NsysTrace::Finish() {
  RETURN_IF_ERROR(failure_);
  WriteDevices();
  for (const auto& [name, value] : head_.environment) {
    file_.Environment(name, value);
  }
  if (harmless_ > 0) {
    Cover("nsys-cuda", "on",
          fmt::format("{} calls returned a harmless result such as "
                      "cudaErrorNotReady; they are not listed",
                      harmless_));
  }
  file_.Loss("failed calls", std::max<int64_t>(errors_ - kMaxErrors, 0),
             "more than are kept one by one");
  file_.Loss("step", lost_steps_, "more ranges a second than are kept");
  stacks_.Finish();
  file_.Process(Process());
  const int64_t end = std::max(last_ns_, head_.base_ns + head_.duration_ns);
  return file_.Finish(std::min(first_ns_, head_.base_ns), end, "nsys");
}

}  // namespace inquest::importers
