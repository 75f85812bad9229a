// SPDX-License-Identifier: Apache-2.0
// Reads a PyTorch profiler trace: events go to a sink one by one, the rest into
// KinetoHead. Accepts both forms of Chrome's trace format, the object with
// `traceEvents` and the bare list. Fields of the wrong type count as missing.
// One thread; memory is that of one event.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/importers/common/json_stream.h"
#include "analyzer/importers/kineto/kineto_records.h"

namespace inquest::importers {

// "1623143093496534.125" microseconds as nanoseconds; 0 if it is not a number.
int64_t NanosecondsOf(std::string_view microseconds);

class KinetoReader : public JsonHandler {
 public:
  KinetoReader(KinetoHead* head, KinetoSink* sink) : head_(head), sink_(sink) {}

  void Begin(bool array) override;
  void End() override;
  bool skips() const override { return place() == Place::kElsewhere; }
  void Key(std::string_view name) override { key_ = name; }
  void Text(std::string_view text) override;
  void Integer(int64_t value) override;
  void Decimal(std::string_view digits) override;
  void Null() override {}
  bool stopped() const override { return sink_->failed(); }

 private:
  enum class Place : uint8_t {
    kRoot,         // the outermost object
    kEvents,       // list
    kEvent,        // object
    kArguments,    // `args` of an event
    kDevices,      // list
    kDevice,       // object
    kDistributed,  // object
    kElsewhere,    // any value, skipped
  };
  Place Inside(bool array) const;
  Place place() const {
    return places_.empty() ? Place::kRoot : places_.back();
  }
  void EventText(std::string_view text);
  void EventNumber(int64_t value);
  void Argument(int64_t value);
  void HeadNumber(int64_t value);
  void DeviceNumber(int64_t value);
  void DistributedNumber(int64_t value);

  KinetoHead* head_;
  KinetoSink* sink_;
  std::vector<Place> places_;
  std::string key_;
  KinetoEvent event_;
};

}  // namespace inquest::importers
