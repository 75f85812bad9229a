// SPDX-License-Identifier: Apache-2.0
// Stands in for libc10.so: keeps count of what is reported to it, so that a
// test sees whether a hook in front of it passes everything on.
#include <atomic>
#include <cinttypes>
#include <cstdio>

#include "device.h"

namespace {
std::atomic<int64_t> g_reports{0};
std::atomic<int64_t> g_bytes{0};
std::atomic<int64_t> g_refusals{0};
std::atomic<int64_t> g_mix{0};  // of all arguments, whatever their order
}  // namespace

namespace c10 {

#if C10_ERA == 0
void reportMemoryUsageToProfiler(void*, int64_t bytes, Device device) {
  ++g_reports;
  g_bytes += bytes;
  g_mix += 31 * device.index;
}
#else
void reportMemoryUsageToProfiler(void*, int64_t bytes, Sum allocated,
                                 Sum reserved, Device device) {
  ++g_reports;
  g_bytes += bytes;
  g_mix += static_cast<int64_t>(allocated) * 7 +
           static_cast<int64_t>(reserved) + 31 * device.index;
}
void reportOutOfMemoryToProfiler(int64_t bytes, Sum allocated, Sum reserved,
                                 Device device) {
  ++g_refusals;
  g_mix += bytes + static_cast<int64_t>(allocated) * 7 +
           static_cast<int64_t>(reserved) + 31 * device.index;
}
#endif

}  // namespace c10

extern "C" void C10PrintReports() {
  std::printf("%" PRId64 " reports, %" PRId64 " bytes, %" PRId64
              " refusals, mix %" PRId64 "\n",
              g_reports.load(), g_bytes.load(), g_refusals.load(),
              g_mix.load());
}
