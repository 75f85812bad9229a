// SPDX-License-Identifier: Apache-2.0
// Sorts the events of a PyTorch profiler trace by time: the file has them by
// thread and kind, and may be larger than memory. They go to a private
// temporary database, where SQLite sorts them. One thread; memory is SQLite's
// cache and one copy of each distinct name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/importers/kineto/kineto_records.h"
#include "base/rows.h"
#include "base/status.h"

namespace inquest::importers {

struct OrderedEvent {
  enum class Kind : uint8_t { kSpan, kStep, kMemory, kRefusal };
  Kind kind = Kind::kSpan;
  int64_t time_ns = 0;
  int64_t duration_ns = 0;
  int64_t process = 0;
  int64_t thread = 0;
  size_t name = 0;   // of a span or step: in texts
  size_t stack = 0;  // of a span: call stack, in texts
  int64_t device_type = 0, device = -1;
  std::optional<int64_t> address;
  int64_t bytes = 0;
  std::optional<int64_t> allocated, reserved;

  template <class Visitor>
  void Columns(Visitor& v) {
    v("kind", kind);
    v("time", time_ns);
    v("duration", duration_ns);
    v("process", process);
    v("thread", thread);
    v("name", name);
    v("stack", stack);
    v("type", device_type);
    v("device", device);
    v("address", address);
    v("bytes", bytes);
    v("allocated", allocated);
    v("reserved", reserved);
  }
};

class KinetoOrder : public KinetoSink {
 public:
  static constexpr size_t kMaxTextBytes = 64 << 20;  // bytes of all names

  static Expected<KinetoOrder> Create();

  void Add(const KinetoEvent& event) override;
  bool failed() const override { return !failure_.ok(); }
  // By time, a span before the events inside it, otherwise in file order.
  Status ForEach(const std::function<Status(const OrderedEvent&)>& visit);

  const std::string& Text(size_t index) const { return texts_[index]; }
  int64_t memory_events() const { return memory_events_; }
  int64_t malformed() const { return malformed_; }
  // The process with the most memory events; 0 if none.
  int64_t Process() const;

 private:
  size_t Number(const std::string& text);
  void AddMemory(const KinetoEvent& event, OrderedEvent::Kind kind);
  void AddSpan(const KinetoEvent& event, OrderedEvent::Kind kind);
  void Insert(const OrderedEvent& event);

  Database db_;
  std::optional<RowInserter<OrderedEvent>> insert_;
  Status failure_;
  std::vector<std::string> texts_ = {""};
  size_t text_bytes_ = 0;
  std::unordered_map<std::string, size_t> numbers_ = {{"", 0}};
  std::unordered_map<int64_t, int64_t> processes_;
  int64_t memory_events_ = 0;
  int64_t malformed_ = 0;
};

}  // namespace inquest::importers
