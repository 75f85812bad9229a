// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto/kineto_order.h"

#include <algorithm>

#include "analyzer/importers/common/sized_blocks.h"

namespace inquest::importers {
namespace {

using EventKind = OrderedEvent::Kind;

constexpr size_t kMaxProcesses = 10'000;

// Host work; spans of devices do not show who allocates.
bool IsHostSpan(const KinetoEvent& event) {
  for (const char* category :
       {"cpu_op", "Operator", "user_annotation", "python_function"}) {
    if (event.category == category) return true;
  }
  return false;
}

bool IsStep(const KinetoEvent& event) {
  return event.name.starts_with("ProfilerStep#");
}

// PyTorch's own mark at the end of a step. It is also a caller of allocations.
bool EndsStep(const KinetoEvent& event) {
  return event.name.starts_with("Optimizer.step#");
}

}  // namespace

Expected<KinetoOrder> KinetoOrder::Create() {
  KinetoOrder order;
  ASSIGN_OR_RETURN(order.db_, Database::Open("", Database::Mode::kCreate));
  RETURN_IF_ERROR(order.db_.Execute(
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; "
      "PRAGMA cache_size=-16384; PRAGMA temp_store=FILE; "
      "CREATE TABLE event(kind, time, duration, process, thread, name, stack, "
      "type, device, address, bytes, allocated, reserved); BEGIN"));
  auto insert = InsertInto<OrderedEvent>(&order.db_, "event");
  RETURN_IF_ERROR(insert.status());
  order.insert_.emplace(insert.Take());
  return order;
}

size_t KinetoOrder::Number(const std::string& text) {
  const auto known = numbers_.find(text);
  if (known != numbers_.end()) return known->second;
  text_bytes_ += text.size() + sizeof(std::string);
  if (text_bytes_ > kMaxTextBytes) return 0;
  numbers_.emplace(text, texts_.size());
  texts_.push_back(text);
  return texts_.size() - 1;
}

void KinetoOrder::Add(const KinetoEvent& event) {
  if (event.name == "[memory]") return AddMemory(event, EventKind::kMemory);
  if (event.name == "[OutOfMemory]")
    return AddMemory(event, EventKind::kRefusal);
  if (event.phase != "X" || !IsHostSpan(event)) return;
  if (EndsStep(event)) AddSpan(event, EventKind::kStep);
  AddSpan(event, IsStep(event) ? EventKind::kStep : EventKind::kSpan);
}

void KinetoOrder::AddMemory(const KinetoEvent& event, EventKind kind) {
  constexpr int64_t kMax = SizedBlocks::kMaxBytes;
  if (!event.bytes || *event.bytes > kMax || *event.bytes < -kMax ||
      !event.device_type || event.device.value_or(0) > INT16_MAX) {
    ++malformed_;
    return;
  }
  ++memory_events_;
  if (processes_.size() < kMaxProcesses) ++processes_[event.process];
  OrderedEvent one;
  one.kind = kind;
  one.time_ns = event.time_ns;
  one.process = event.process;
  one.thread = event.thread;
  one.device_type = *event.device_type;
  one.device = one.device_type == kHostType ? -1 : event.device.value_or(0);
  // The profiler may not know an address.
  if (event.address.value_or(0) != 0) one.address = event.address;
  one.bytes = *event.bytes;
  // -1: the allocator reports no sums.
  if (event.allocated.value_or(-1) >= 0) one.allocated = event.allocated;
  if (event.reserved.value_or(-1) >= 0) one.reserved = event.reserved;
  Insert(one);
}

void KinetoOrder::AddSpan(const KinetoEvent& event, EventKind kind) {
  OrderedEvent one;
  one.kind = kind;
  one.time_ns = event.time_ns;
  one.duration_ns = std::max<int64_t>(event.duration_ns, 0);
  one.thread = event.thread;
  one.name = Number(event.name);
  one.stack = Number(event.call_stack);
  Insert(one);
}

void KinetoOrder::Insert(const OrderedEvent& event) {
  if (failure_.ok()) failure_ = insert_->Add(event);
}

int64_t KinetoOrder::Process() const {
  const auto most = std::max_element(
      processes_.begin(), processes_.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == processes_.end() ? 0 : most->first;
}

Status KinetoOrder::ForEach(
    const std::function<Status(const OrderedEvent&)>& visit) {
  RETURN_IF_ERROR(failure_);
  insert_.reset();
  RETURN_IF_ERROR(db_.Execute("COMMIT"));
  ASSIGN_OR_RETURN(auto rows,
                   SelectRows<OrderedEvent>(
                       &db_,
                       "FROM event ORDER BY time, kind >= 2, duration DESC, "
                       "rowid"));
  for (OrderedEvent event; rows.Next(&event);) RETURN_IF_ERROR(visit(event));
  return rows.statement().status();
}

}  // namespace inquest::importers
