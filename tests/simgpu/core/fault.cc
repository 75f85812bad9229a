// SPDX-License-Identifier: Apache-2.0
#include "core/fault.h"

#include <cuda.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <deque>

#include "core/config.h"

namespace simgpu {
namespace {

struct Rule {
  explicit Rule(const FaultSpec& fault) : spec(fault) {}
  const FaultSpec& spec;
  std::atomic<uint64_t> seen{0};
};

std::deque<Rule>& Rules() {
  static std::deque<Rule>* rules = [] {
    auto* made = new std::deque<Rule>;
    for (const FaultSpec& spec : GetConfig().faults) {
      if (spec.xid == 0) made->emplace_back(spec);
    }
    return made;
  }();
  return *rules;
}

std::atomic<uint64_t> g_start_ms{0};

uint64_t NowMs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000 +
         static_cast<uint64_t>(now.tv_nsec) / 1000000;
}

bool Fires(Rule* rule) {
  const FaultSpec& spec = rule->spec;
  const uint64_t before = rule->seen.fetch_add(1, std::memory_order_relaxed);
  if (before < spec.after) return false;
  return spec.count == 0 || before - spec.after < spec.count;
}

}  // namespace

bool CallFaultsArmed() {
  static const bool armed = !Rules().empty();
  return armed;
}

bool HitFault(const char* name, FaultHit* hit) {
  bool fired = false;
  for (Rule& rule : Rules()) {
    if (rule.spec.call != name || !Fires(&rule)) continue;
    if (rule.spec.delay_us > 0) usleep(rule.spec.delay_us);
    *hit = {rule.spec.result, rule.spec.sticky, rule.spec.async};
    fired = true;
  }
  return fired && hit->result != 0;
}

void StartFaultClock() {
  uint64_t unset = 0;
  g_start_ms.compare_exchange_strong(unset, NowMs());
}

int ActiveXid(int device) {
  static const bool any = [] {
    for (const FaultSpec& spec : GetConfig().faults) {
      if (spec.xid != 0) return true;
    }
    return false;
  }();
  const uint64_t start = g_start_ms.load(std::memory_order_relaxed);
  if (!any || start == 0) return 0;
  const uint64_t elapsed = NowMs() - start;
  for (const FaultSpec& spec : GetConfig().faults) {
    if (spec.xid != 0 && spec.device == device && elapsed >= spec.after_ms) {
      return spec.xid;
    }
  }
  return 0;
}

int ResultOfXid(int xid) {
  switch (xid) {
    case 8:
      return CUDA_ERROR_LAUNCH_TIMEOUT;
    case 13:
      return CUDA_ERROR_LAUNCH_FAILED;
    case 31:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case 48:
    case 63:
    case 64:
    case 94:
    case 95:
      return CUDA_ERROR_ECC_UNCORRECTABLE;
    case 74:
      return CUDA_ERROR_NVLINK_UNCORRECTABLE;
    default:  // 79 and the rest: no specific error
      return CUDA_ERROR_UNKNOWN;
  }
}

}  // namespace simgpu
