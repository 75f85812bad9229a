#include "analyzer/importers/nsys/nsys_trace.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "analyzer/importers/common/cuda_results.h"
#include "analyzer/importers/nsys/nsys_names.h"
#include "trace/records/event.h"
#include "trace/records/step_names.h"

namespace inquest::importers {
namespace {

using trace::MemoryKind;
using trace::MemoryOp;

constexpr int64_t kOutOfMemory = 2;       // in both enums
constexpr int64_t kMostErrors = 100'000;  // kept one by one
constexpr int64_t kMostStepsASecond = 1000;
constexpr int64_t kLongestTime = 4'000'000'000'000'000'000;
constexpr size_t kLongestRange = 200;

}  // namespace

NsysTrace::NsysTrace(const NsysHead& head, const NsysProcess& process,
                     TraceFile file)
    : head_(head), process_(process), file_(std::move(file)), stacks_(&file_) {}

int64_t NsysTrace::Time(int64_t time) {
  int64_t wall = 0;
  if (__builtin_add_overflow(time, head_.base_ns, &wall) || wall < 0 ||
      wall > kLongestTime) {
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

// The export has neither the size nor the device of a request that failed. One
// that the runtime passed on to the driver is one request.
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
  if (call.result == kOutOfMemory && IsAllocation(function)) Refuse(call);
  if (++errors_ > kMostErrors) return;
  const bool runtime = IsRuntimeFunction(function);
  Statement* row =
      file_.Insert("INSERT INTO api_error VALUES(?,?,?,?,?,?,'',?,?,?,?,0)");
  row->Bind(0, errors_).Bind(1, Time(call.end));
  row->Bind(2, runtime ? "runtime" : "driver").Bind(3, function);
  row->Bind(4, call.result).Bind(5, CudaResultName(call.result, runtime));
  row->Bind(6, process_.used.size() == 1 ? process_.used.front() : -1);
  row->Bind(7, call.thread).Bind(8, int64_t{call.stack});
  file_.Run(&row->Bind(9, int64_t{IsStickyCudaResult(call.result)}));
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
  if (++steps_in_second_ > kMostStepsASecond) {
    ++lost_steps_;
    return;
  }
  Statement* row = file_.Insert("INSERT INTO step VALUES(NULL,?,?,?,?)");
  row->Bind(0, range.name.substr(0, kLongestRange)).Bind(1, begin);
  row->BindNull(2).Bind(3, range.thread);
  if (range.mark) row->Bind(2, begin);
  if (range.end) row->Bind(2, std::max(begin, Time(*range.end)));
  file_.Run(row);
}

void NsysTrace::AddLibraryCalls(std::string_view function, int64_t calls,
                                int64_t total_ns, int64_t max_ns) {
  Statement* row =
      file_.Insert("INSERT OR IGNORE INTO cudnn_stat VALUES(?,0,?,?,?)");
  row->Bind(0, function).Bind(1, calls).Bind(2, total_ns);
  file_.Run(&row->Bind(3, max_ns));
}

// How the profiler says that the program ended.
void NsysTrace::NoteExit(int64_t time, std::string_view text) {
  static const auto* signalled = new RE2(
      "(?i)(?:terminated|killed|crashed|died|exited)\\b.*\\bsignal:? (\\d+)");
  static const auto* exited = new RE2(
      "(?i)(?:exit(?:ed with)?(?: with)?|return(?:ed)?)\\b.*"
      "\\b(?:exit )?(?:code|status):? (-?\\d+)");
  int64_t value = 0;
  const bool killed = RE2::PartialMatch(text, *signalled, &value);
  if (!killed && !RE2::PartialMatch(text, *exited, &value)) return;
  Statement* row =
      file_.Insert("INSERT INTO device_event VALUES(?,?,-1,?,?,?)");
  row->Bind(0, ++exits_).Bind(1, Time(time));
  row->Bind(2, killed ? "signal" : "exit").Bind(3, value);
  file_.Run(&row->Bind(4, text));
}

void NsysTrace::AddMessage(int64_t time, std::string_view severity,
                           std::string_view text) {
  NoteExit(time, text);
  if (severity.empty()) return;
  Statement* row = file_.Insert("INSERT INTO message VALUES(?,?,'nsys',?,?)");
  row->Bind(0, ++messages_).Bind(1, Time(time)).Bind(2, severity);
  file_.Run(&row->Bind(3, text));
}

void NsysTrace::Cover(std::string_view source, std::string_view state,
                      std::string_view note) {
  const int64_t from = head_.base_ns;
  file_.Coverage(source, from, from + head_.duration_ns, state, note);
}

void NsysTrace::WriteDevice(int64_t ordinal, const NsysGpu& gpu) {
  Statement* row = file_.Insert(
      "INSERT OR REPLACE INTO device VALUES(?,?,?,?,?,?,?,?,NULL)");
  row->Bind(0, ordinal).Bind(1, gpu.name).Bind(2, gpu.uuid);
  row->Bind(3, gpu.pci).Bind(4, gpu.total_bytes);
  row->Bind(5, gpu.major == 0 ? std::string()
                              : fmt::format("{}.{}", gpu.major, gpu.minor));
  row->BindNull(6).BindNull(7);
  if (!head_.driver.empty()) row->Bind(6, head_.driver);
  if (head_.cuda_driver) row->Bind(7, *head_.cuda_driver);
  file_.Run(row);
}

// Of a device that was used, but not described, there is still the driver.
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
  // Children have command lines of their own, which are not told.
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
          fmt::format("{} calls returned what is no failure, as "
                      "cudaErrorNotReady; they are not listed",
                      harmless_));
  }
  file_.Loss("failed calls", std::max<int64_t>(errors_ - kMostErrors, 0),
             "more of them than are kept one by one");
  file_.Loss("step", lost_steps_, "more ranges a second than are kept");
  file_.Loss("stacks", stacks_.lost(), "more of them than are kept");
  file_.Process(Process());
  const int64_t end = std::max(last_ns_, head_.base_ns + head_.duration_ns);
  return file_.Finish(std::min(first_ns_, head_.base_ns), end, "nsys");
}

}  // namespace inquest::importers
