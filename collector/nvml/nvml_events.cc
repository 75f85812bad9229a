// SPDX-License-Identifier: Apache-2.0
#include "collector/nvml/nvml_events.h"

#include <cstdio>
#include <string>

#include "collector/core/emit.h"
#include "collector/cuda/devices.h"

namespace inquest::collector::nvml {
namespace {

constexpr int kMaxAtOnce = 32;  // more of a burst of Xids is not useful

Api g_events_api;
EventSet g_events = nullptr;
int g_watched_count = 0;
Device g_watched_devices[kMaxDevices];
unsigned long long g_errors[kMaxDevices];  // uncorrected, at the last sample

int OrdinalOf(Device device) {
  for (int i = 0; i < g_watched_count; ++i) {
    if (g_watched_devices[i] != nullptr && g_watched_devices[i] == device)
      return i;
  }
  return -1;
}

void EmitDeviceEvent(int ordinal, const char* kind, unsigned long long value,
                     const char* format) {
  char text[96];
  std::snprintf(text, sizeof text, format, value);
  Emit(trace::DeviceEventRecord{MonotonicNs(), ordinal,
                                static_cast<int64_t>(value), kind, text});
}

bool CountErrors(int ordinal, unsigned long long* count) {
  return g_events_api.ecc_errors != nullptr &&
         g_watched_devices[ordinal] != nullptr &&
         g_events_api.ecc_errors(g_watched_devices[ordinal], kUncorrectedErrors,
                                 kSinceDriverLoad, count) == kSuccess;
}

// Devices without ECC memory have no ECC events, and refuse the whole request
// if it names them.
unsigned long long EventsToWatch(Device device) {
  unsigned long long supported = kEventXid;
  if (g_events_api.supported_events != nullptr) {
    g_events_api.supported_events(device, &supported);
  }
  return supported & (kEventXid | kEventDoubleBitEcc);
}

int WatchEach() {
  int watched = 0;
  for (int i = 0; i < g_watched_count; ++i) {
    if (g_watched_devices[i] == nullptr) continue;
    const unsigned long long wanted = EventsToWatch(g_watched_devices[i]);
    if (wanted == 0) continue;
    watched +=
        g_events_api.watch(g_watched_devices[i], wanted, g_events) == kSuccess
            ? 1
            : 0;
  }
  return watched;
}

std::string StartWatching() {
  if (g_events_api.new_events == nullptr || g_events_api.watch == nullptr ||
      g_events_api.next_event == nullptr) {
    return "this libnvidia-ml.so.1 has no event sets";
  }
  if (g_events_api.new_events(&g_events) != kSuccess) {
    g_events = nullptr;
    return "nvmlEventSetCreate failed";
  }
  if (WatchEach() > 0) return "";
  g_events = nullptr;
  return "no device reports events";
}

}  // namespace

void WatchEvents(const Api& api, const Device* devices, int count) {
  g_events_api = api;
  g_watched_count = count;
  for (int i = 0; i < count; ++i) {
    g_watched_devices[i] = devices[i];
    g_errors[i] = 0;
    CountErrors(i, &g_errors[i]);
  }
  const std::string fault = StartWatching();
  EmitCoverage("nvml-events", fault.empty() ? "on" : "failed", fault);
}

void TakeEvents() {
  for (int i = 0; g_events != nullptr && i < kMaxAtOnce; ++i) {
    EventData event{};
    if (g_events_api.next_event(g_events, &event, 0) != kSuccess) return;
    const int ordinal = OrdinalOf(event.device);
    if (event.type == kEventXid)
      EmitDeviceEvent(ordinal, "xid", event.data, "Xid %llu");
    if (event.type == kEventDoubleBitEcc) SampleErrorCounts();
  }
}

void SampleErrorCounts() {
  for (int i = 0; i < g_watched_count; ++i) {
    unsigned long long now = 0;
    if (!CountErrors(i, &now) || now <= g_errors[i]) continue;
    EmitDeviceEvent(i, "ecc", now - g_errors[i],
                    "%llu uncorrected memory errors");
    g_errors[i] = now;
  }
}

void ForgetEvents() {
  g_events = nullptr;
  g_watched_count = 0;
}

}  // namespace inquest::collector::nvml
