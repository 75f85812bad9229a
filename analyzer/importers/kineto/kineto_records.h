// SPDX-License-Identifier: Apache-2.0
// The parts of a PyTorch profiler trace (Kineto; Chrome's trace format) that
// concern memory, as kineto_reader.h passes them on: in file order, which is
// not time order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inquest::importers {

// Values of c10/core/DeviceType.h that matter here.
inline constexpr int64_t kHostType = 0;

struct KinetoEvent {
  std::string name;
  std::string category;
  std::string phase;
  int64_t time_ns = 0;  // as written: since the file's base time
  int64_t duration_ns = 0;
  int64_t process = 0;
  int64_t thread = 0;
  // From args, of memory events.
  std::optional<int64_t> device_type, device, address, bytes;
  std::optional<int64_t> allocated, reserved;
  std::string call_stack;  // innermost first, separated by semicolons
};

struct KinetoDevice {
  int64_t id = 0;
  std::string name;
  int64_t total_bytes = 0;
  int64_t major = 0, minor = 0;
};

// What the file says about the whole run.
struct KinetoHead {
  std::vector<KinetoDevice> devices;
  std::optional<int64_t> rank, world_size;
  std::optional<int64_t> cuda_driver, cuda_runtime;
  std::optional<int64_t> profile_memory;
  std::string host;
  int64_t base_ns = 0;
  bool has_events = false;  // the list of events was found
};

class KinetoSink {
 public:
  virtual ~KinetoSink() = default;
  virtual void Add(const KinetoEvent& event) = 0;
  virtual bool failed() const = 0;
};

}  // namespace inquest::importers
