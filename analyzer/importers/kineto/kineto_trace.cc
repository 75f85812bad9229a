// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto/kineto_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyzer/importers/common/call_stacks.h"
#include "analyzer/importers/common/framework_rows.h"
#include "analyzer/importers/common/open_spans.h"
#include "analyzer/importers/common/trace_file.h"

namespace inquest::importers {
namespace {

using EventKind = OrderedEvent::Kind;

constexpr std::string_view kKineto = "kineto";
constexpr int64_t kMaxAddressSpaces = 256;  // distinguished by address

class KinetoTrace {
 public:
  KinetoTrace(const KinetoHead& head, KinetoOrder* order, TraceFile* file)
      : head_(head),
        order_(order),
        file_(file),
        stacks_(file),
        spans_(*order, &stacks_),
        rows_(file) {}

  Status Add(const OrderedEvent& event);
  Status Finish(const std::string& fault);

 private:
  Status AddMemory(const OrderedEvent& event);
  void AddStep(const OrderedEvent& event);
  int64_t DeviceOf(const OrderedEvent& event);
  std::optional<int64_t> AddressOf(const OrderedEvent& event);
  void WriteDevices();
  void WriteCoverage(const std::string& fault);
  void WriteDeviceCoverage(int64_t ordinal, const FrameworkRows::Device& one);
  int64_t Time(int64_t time_ns) const {
    int64_t time = 0;
    const bool over = __builtin_add_overflow(time_ns, head_.base_ns, &time);
    return over ? time_ns : time;
  }

  const KinetoHead& head_;
  KinetoOrder* order_;
  TraceFile* file_;
  CallStacks stacks_;
  OpenSpans spans_;
  FrameworkRows rows_;
  int64_t main_type_ = kHostType;  // of accelerators, the first seen
  std::map<int64_t, size_t> processes_;
  int64_t empty_ = 0;  // events of zero bytes
  int64_t first_ns_ = INT64_MAX, last_ns_ = 0;
};

Status KinetoTrace::Add(const OrderedEvent& event) {
  const int64_t time = Time(event.time_ns);
  first_ns_ = std::min(first_ns_, time);
  last_ns_ = std::max(last_ns_, time);
  switch (event.kind) {
    case EventKind::kStep:
      AddStep(event);
      [[fallthrough]];
    case EventKind::kSpan:
      spans_.Begin(event);
      return Status::Ok();
    default:
      return AddMemory(event);
  }
}

// Devices of a second type get numbers of their own: 1201 is the second one of
// type 12.
int64_t KinetoTrace::DeviceOf(const OrderedEvent& event) {
  if (event.device_type == kHostType) return -1;
  if (main_type_ == kHostType) main_type_ = event.device_type;
  const int64_t ordinal = std::max<int64_t>(event.device, 0);
  if (event.device_type == main_type_) return ordinal;
  return std::clamp<int64_t>(event.device_type, 0, 300) * 100 + ordinal % 100;
}

// Profiles of several ranks can be put into one file; the same address in two
// processes is not the same memory.
std::optional<int64_t> KinetoTrace::AddressOf(const OrderedEvent& event) {
  const auto number = static_cast<int64_t>(
      processes_.try_emplace(event.process, processes_.size()).first->second);
  if (!event.address || number == 0) return event.address;
  return *event.address ^ (number % kMaxAddressSpaces << 52);
}

Status KinetoTrace::AddMemory(const OrderedEvent& event) {
  FrameworkCall call;
  call.time_ns = Time(event.time_ns);
  call.device = DeviceOf(event);
  call.bytes = std::abs(event.bytes);
  call.address = AddressOf(event);
  call.allocated = event.allocated;
  call.reserved = event.reserved;
  call.thread = event.thread;
  if (event.kind == EventKind::kRefusal) {
    call.stack = spans_.StackAt(event.thread, event.time_ns);
    return rows_.Refuse(call);
  }
  if (event.bytes == 0) {
    ++empty_;
    return Status::Ok();
  }
  if (event.bytes < 0) return rows_.Free(call);
  call.stack = spans_.StackAt(event.thread, event.time_ns);
  return rows_.Allocate(call);
}

void KinetoTrace::AddStep(const OrderedEvent& event) {
  const int64_t begin = Time(event.time_ns);
  const int64_t end = begin + event.duration_ns;
  last_ns_ = std::max(last_ns_, end);
  file_->AddRow("step", nullptr, order_->Text(event.name), begin, end,
                event.thread);
}

void KinetoTrace::WriteDevices() {
  for (const KinetoDevice& device : head_.devices) {
    file_->AddRow("device", device.id, device.name, "", "", device.total_bytes,
                  fmt::format("{}.{}", device.major, device.minor), nullptr,
                  head_.cuda_driver, head_.cuda_runtime);
  }
}

void KinetoTrace::WriteDeviceCoverage(int64_t ordinal,
                                      const FrameworkRows::Device& one) {
  const std::string where =
      ordinal < 0 ? "host memory: " : fmt::format("GPU {}: ", ordinal);
  file_->Coverage(kKineto, first_ns_, last_ns_, "on",
                  where + fmt::format("{} allocations, {} frees, {} refused",
                                      one.allocations, one.frees, one.refused));
  const int64_t bytes = one.blocks.before_bytes();
  if (bytes == 0 && one.unnamed_before == 0) return;
  std::string note =
      where + fmt::format(
                  "the profile begins in the middle of the run: {} "
                  "blocks of {} bytes were live before its first "
                  "event, found from their frees",
                  one.blocks.before().size(), bytes);
  if (one.unnamed_before > 0) {
    note += fmt::format(
        "; the allocator's own sum has {} bytes more, in blocks "
        "without events",
        one.unnamed_before);
  }
  file_->Coverage(kKineto, first_ns_, first_ns_, "off", note);
}

void KinetoTrace::WriteCoverage(const std::string& fault) {
  for (const auto& [ordinal, one] : rows_.devices()) {
    WriteDeviceCoverage(ordinal, one);
  }
  if (order_->memory_events() == 0) {
    const bool asked = head_.profile_memory.value_or(0) != 0;
    file_->Coverage(
        kKineto, first_ns_, INT64_MAX, asked ? "on" : "off",
        asked ? "memory was recorded, and nothing was allocated or freed"
              : "the profile has no memory events: "
                "torch.profiler.profile(profile_memory=True) records them");
  }
  if (processes_.size() > 1) {
    file_->Coverage(kKineto, first_ns_, last_ns_, "on",
                    fmt::format("memory events of {} processes, added together",
                                processes_.size()));
  }
  if (!fault.empty()) {
    file_->Coverage(kKineto, last_ns_, last_ns_, "failed", fault);
  }
  file_->Loss("malformed memory events", order_->malformed(),
              "without size or device, or with impossible ones");
  file_->Loss("empty memory events", empty_, "with zero bytes");
  stacks_.Finish();
}

Status KinetoTrace::Finish(const std::string& fault) {
  if (first_ns_ == INT64_MAX) first_ns_ = last_ns_ = head_.base_ns;
  rows_.Finish(first_ns_);
  WriteDevices();
  WriteCoverage(fault);
  TraceProcess process;
  process.pid = order_->Process();
  process.host = head_.host;
  process.rank = head_.rank;
  process.world_size = head_.world_size;
  file_->Process(std::move(process));
  return file_->Finish(first_ns_, last_ns_, "kineto");
}

}  // namespace

Status WriteKinetoTrace(const KinetoHead& head, KinetoOrder* order,
                        const std::string& fault, const std::string& path) {
  ASSIGN_OR_RETURN(TraceFile file, TraceFile::Create(path));
  KinetoTrace trace(head, order, &file);
  RETURN_IF_ERROR(order->ForEach(
      [&](const OrderedEvent& event) { return trace.Add(event); }));
  return trace.Finish(fault);
}

}  // namespace inquest::importers
