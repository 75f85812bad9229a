#include "analyzer/importers/kineto/kineto_order.h"

#include <algorithm>

#include "analyzer/importers/common/sized_blocks.h"

namespace inquest::importers {
namespace {

using EventKind = OrderedEvent::Kind;

constexpr size_t kMostProcesses = 10'000;

// Work of the host; spans of devices say nothing of who allocates.
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

void BindOptional(Statement* row, int index, std::optional<int64_t> value) {
  if (value) {
    row->Bind(index, *value);
  } else {
    row->BindNull(index);
  }
}

std::optional<int64_t> OptionalAt(const Statement& row, int index) {
  if (row.IsNull(index)) return {};
  return row.Int(index);
}

OrderedEvent EventAt(const Statement& row) {
  OrderedEvent event;
  event.kind = static_cast<EventKind>(row.Int(0));
  event.time_ns = row.Int(1);
  event.duration_ns = row.Int(2);
  event.thread = row.Int(3);
  event.name = static_cast<size_t>(row.Int(4));
  event.stack = static_cast<size_t>(row.Int(5));
  event.device_type = row.Int(6);
  event.device = row.Int(7);
  event.address = OptionalAt(row, 8);
  event.bytes = row.Int(9);
  event.allocated = OptionalAt(row, 10);
  event.reserved = OptionalAt(row, 11);
  event.process = row.Int(12);
  return event;
}

}  // namespace

Expected<KinetoOrder> KinetoOrder::Create() {
  KinetoOrder order;
  ASSIGN_OR_RETURN(order.db_, Database::Open("", Database::Mode::kCreate));
  RETURN_IF_ERROR(order.db_.Execute(
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; "
      "PRAGMA cache_size=-16384; PRAGMA temp_store=FILE; "
      "CREATE TABLE event(kind, time, duration, thread, name, stack, type, "
      "device, address, bytes, allocated, reserved, process); BEGIN"));
  ASSIGN_OR_RETURN(order.insert_,
                   order.db_.Prepare("INSERT INTO event VALUES "
                                     "(?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  return order;
}

size_t KinetoOrder::Number(const std::string& text) {
  const auto known = numbers_.find(text);
  if (known != numbers_.end()) return known->second;
  text_bytes_ += text.size() + sizeof(std::string);
  if (text_bytes_ > kMostTexts) return 0;
  numbers_.emplace(text, texts_.size());
  texts_.push_back(text);
  return texts_.size() - 1;
}

void KinetoOrder::Add(const KinetoEvent& event) {
  if (event.name == "[memory]") return AddMemory(event, EventKind::kMemory);
  if (event.name == "[OutOfMemory]")
    return AddMemory(event, EventKind::kRefusal);
  if (event.phase != "X" || !IsHostSpan(event)) return;
  AddSpan(event, IsStep(event) ? EventKind::kStep : EventKind::kSpan);
}

void KinetoOrder::AddMemory(const KinetoEvent& event, EventKind kind) {
  constexpr int64_t kMost = SizedBlocks::kMostBytes;
  if (!event.bytes || *event.bytes > kMost || *event.bytes < -kMost ||
      !event.device_type || event.device.value_or(0) > INT16_MAX) {
    ++malformed_;
    return;
  }
  ++memory_events_;
  if (processes_.size() < kMostProcesses) ++processes_[event.process];
  OrderedEvent one;
  one.kind = kind;
  one.time_ns = event.time_ns;
  one.process = event.process;
  one.thread = event.thread;
  one.device_type = *event.device_type;
  one.device = one.device_type == kHostType ? -1 : event.device.value_or(0);
  // Of its own allocator the profiler may know no address.
  if (event.address.value_or(0) != 0) one.address = event.address;
  one.bytes = *event.bytes;
  // -1: the allocator tells no sums.
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
  if (!failure_.ok()) return;
  insert_.Bind(0, static_cast<int64_t>(event.kind)).Bind(1, event.time_ns);
  insert_.Bind(2, event.duration_ns).Bind(3, event.thread);
  insert_.Bind(4, static_cast<int64_t>(event.name));
  insert_.Bind(5, static_cast<int64_t>(event.stack));
  insert_.Bind(6, event.device_type).Bind(7, event.device);
  BindOptional(&insert_, 8, event.address);
  insert_.Bind(9, event.bytes);
  BindOptional(&insert_, 10, event.allocated);
  BindOptional(&insert_, 11, event.reserved);
  insert_.Bind(12, event.process);
  failure_ = insert_.Run();
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
  insert_ = Statement();
  RETURN_IF_ERROR(db_.Execute("COMMIT"));
  ASSIGN_OR_RETURN(Statement row,
                   db_.Prepare("SELECT * FROM event ORDER BY time, kind >= 2, "
                               "duration DESC, rowid"));
  while (row.Step()) RETURN_IF_ERROR(visit(EventAt(row)));
  return row.status();
}

}  // namespace inquest::importers
