// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto/kineto_reader.h"

#include <charconv>
#include <cmath>

namespace inquest::importers {

using namespace std::string_view_literals;  // compared by their length first

namespace {

constexpr size_t kMaxTextBytes = 500;
constexpr size_t kMaxStackBytes = 16 << 10;
constexpr size_t kMaxDevices = 1024;
constexpr int64_t kMaxMicroseconds = INT64_MAX / 1000 - 1;

std::optional<int64_t> IntegerOf(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// Whole numbers as some JSON writers print them: 1e+06, 512.0.
std::optional<int64_t> WholeOf(std::string_view digits) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return {};
  if (!(std::fabs(value) < 9e18)) return {};
  return static_cast<int64_t>(value);
}

}  // namespace

int64_t NanosecondsOf(std::string_view microseconds) {
  const size_t point = microseconds.find('.');
  const auto whole = IntegerOf(microseconds.substr(0, point));
  if (!whole || microseconds.find_first_of("eE") != microseconds.npos) {
    const auto value = WholeOf(microseconds);
    return value && std::abs(*value) < kMaxMicroseconds ? *value * 1000 : 0;
  }
  if (*whole > kMaxMicroseconds || *whole < -kMaxMicroseconds) return 0;
  int64_t part = 0;
  for (size_t i = 1; i <= 3; ++i) {
    const bool digit =
        point != microseconds.npos && point + i < microseconds.size();
    part = part * 10 + (digit ? microseconds[point + i] - '0' : 0);
  }
  return *whole * 1000 + (microseconds.starts_with('-') ? -part : part);
}

KinetoReader::Place KinetoReader::Inside(bool array) const {
  if (places_.empty()) return array ? Place::kEvents : Place::kRoot;
  switch (places_.back()) {
    case Place::kRoot:
      if (array && key_ == "traceEvents"sv) return Place::kEvents;
      if (array && key_ == "deviceProperties"sv) return Place::kDevices;
      if (!array && key_ == "distributedInfo"sv) return Place::kDistributed;
      return Place::kElsewhere;
    case Place::kEvents:
      return array ? Place::kElsewhere : Place::kEvent;
    case Place::kEvent:
      return !array && key_ == "args"sv ? Place::kArguments : Place::kElsewhere;
    case Place::kDevices:
      return array ? Place::kElsewhere : Place::kDevice;
    default:
      return Place::kElsewhere;
  }
}

void KinetoReader::Begin(bool array) {
  const Place inside = Inside(array);
  places_.push_back(inside);
  key_.clear();
  if (inside == Place::kEvents) head_->has_events = true;
  if (inside == Place::kEvent) event_ = {};
  if (inside == Place::kDevice && head_->devices.size() < kMaxDevices) {
    head_->devices.emplace_back();
  }
}

void KinetoReader::End() {
  const Place ended = places_.back();
  places_.pop_back();
  key_.clear();
  if (ended == Place::kEvent) sink_->Add(event_);
}

void KinetoReader::Text(std::string_view text) {
  if (place() == Place::kEvent) return EventText(text);
  if (place() == Place::kArguments && key_ == "Call stack"sv) {
    event_.call_stack = text.substr(0, kMaxStackBytes);
  } else if (place() == Place::kDevice && key_ == "name"sv) {
    head_->devices.back().name = text.substr(0, kMaxTextBytes);
  } else if (place() == Place::kRoot &&
             (key_ == "host_name"sv || key_ == "hostname"sv)) {
    head_->host = text.substr(0, kMaxTextBytes);
  } else if (const auto value = IntegerOf(text)) {
    Integer(*value);
  }
}

void KinetoReader::EventText(std::string_view text) {
  if (key_ == "name"sv) {
    event_.name = text.substr(0, kMaxTextBytes);
  } else if (key_ == "cat"sv) {
    event_.category = text.substr(0, kMaxTextBytes);
  } else if (key_ == "ph"sv) {
    event_.phase = text.substr(0, kMaxTextBytes);
  } else if (key_ == "ts"sv) {
    event_.time_ns = NanosecondsOf(text);
  } else if (const auto value = IntegerOf(text)) {
    EventNumber(*value);
  }
}

void KinetoReader::Decimal(std::string_view digits) {
  if (place() == Place::kEvent && key_ == "ts"sv) {
    event_.time_ns = NanosecondsOf(digits);
  } else if (place() == Place::kEvent && key_ == "dur"sv) {
    event_.duration_ns = NanosecondsOf(digits);
  } else if (const auto value = WholeOf(digits)) {
    Integer(*value);
  }
}

void KinetoReader::Integer(int64_t value) {
  switch (place()) {
    case Place::kRoot:
      return HeadNumber(value);
    case Place::kEvent:
      return EventNumber(value);
    case Place::kArguments:
      return Argument(value);
    case Place::kDevice:
      return DeviceNumber(value);
    case Place::kDistributed:
      return DistributedNumber(value);
    default:
      return;
  }
}

void KinetoReader::EventNumber(int64_t value) {
  if (key_ == "ts"sv || key_ == "dur"sv) {
    const bool fits = value <= kMaxMicroseconds && value >= -kMaxMicroseconds;
    int64_t& time = key_ == "ts"sv ? event_.time_ns : event_.duration_ns;
    time = fits ? value * 1000 : 0;
  } else if (key_ == "pid"sv) {
    event_.process = value;
  } else if (key_ == "tid"sv) {
    event_.thread = value;
  }
}

// As torch/csrc/autograd/profiler_kineto.cpp names them.
void KinetoReader::Argument(int64_t value) {
  if (key_ == "Device Type"sv) {
    event_.device_type = value;
  } else if (key_ == "Device Id"sv) {
    event_.device = value;
  } else if (key_ == "Addr"sv) {
    event_.address = value;
  } else if (key_ == "Bytes"sv) {
    event_.bytes = value;
  } else if (key_ == "Total Allocated"sv) {
    event_.allocated = value;
  } else if (key_ == "Total Reserved"sv) {
    event_.reserved = value;
  }
}

void KinetoReader::HeadNumber(int64_t value) {
  if (key_ == "baseTimeNanoseconds"sv) {
    head_->base_ns = value;
  } else if (key_ == "cuda_driver_version"sv) {
    head_->cuda_driver = value;
  } else if (key_ == "cuda_runtime_version"sv) {
    head_->cuda_runtime = value;
  } else if (key_ == "profile_memory"sv) {
    head_->profile_memory = value;
  }
}

void KinetoReader::DeviceNumber(int64_t value) {
  KinetoDevice& device = head_->devices.back();
  if (key_ == "id"sv) device.id = value;
  if (key_ == "totalGlobalMem"sv) device.total_bytes = value;
  if (key_ == "computeMajor"sv) device.major = value;
  if (key_ == "computeMinor"sv) device.minor = value;
}

void KinetoReader::DistributedNumber(int64_t value) {
  if (key_ == "rank"sv) head_->rank = value;
  if (key_ == "world_size"sv) head_->world_size = value;
}

}  // namespace inquest::importers
