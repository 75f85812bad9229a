// SPDX-License-Identifier: Apache-2.0
#include "collector/cuda/cupti_source.h"

#include <cupti.h>
#include <pthread.h>

#include <atomic>
#include <string>
#include <utility>

#include "base/scoped_lock.h"
#include "collector/core/emit.h"
#include "collector/core/guard.h"
#include "collector/core/lifecycle.h"
#include "collector/core/session.h"
#include "collector/core/source.h"
#include "collector/core/thread_state.h"
#include "collector/cuda/cuda_api.h"
#include "collector/cuda/cupti_api.h"
#include "collector/cuda/cupti_callbacks.h"
#include "collector/cuda/cupti_calls.h"
#include "collector/cuda/devices.h"
#include "collector/cuda/memory_call_ends.h"

namespace inquest::collector {
namespace {

constinit CuptiApi g_cupti;
CUpti_SubscriberHandle g_subscriber = nullptr;
constexpr int64_t kResumeAfterNs = 500'000'000;
std::atomic<int64_t> g_resume_at_ns{0};  // 0: no resume is planned
std::atomic<bool> g_started{false};
pthread_mutex_t g_mutex =
    PTHREAD_MUTEX_INITIALIZER;  // subscribing and yielding
bool g_yielded = false;

const char* ResultText(CUptiResult result) {
  const char* text = nullptr;
  if (g_cupti.get_result_string != nullptr) {
    g_cupti.get_result_string(result, &text);
  }
  return text != nullptr ? text : "unknown CUPTI error";
}

void CUPTIAPI OnCallback(void*, CUpti_CallbackDomain domain,
                         CUpti_CallbackId cbid, const void* data) {
  OnCuptiCallback(g_cupti, domain, cbid, data);
}

// CUPTI refuses calls that it does not know one by one; that is fine.
void EnableCallbacks() {
  const auto driver = [](uint32_t cbid) {
    g_cupti.enable_callback(1, g_subscriber, CUPTI_CB_DOMAIN_DRIVER_API, cbid);
  };
  for (const uint32_t cbid : kRecordAtExit) driver(cbid);
  for (const uint32_t cbid : kRecordAtEnter) driver(cbid);
  for (const uint32_t* at = kWatchedCalls; *at != 0; ++at) driver(*at);
  g_cupti.enable_domain(1, g_subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  for (const uint32_t* at = kUnwatched; *at != 0; ++at) {
    g_cupti.enable_callback(0, g_subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, *at);
  }
  g_cupti.enable_callback(1, g_subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                          CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
}

uint32_t ApiVersion() {
  uint32_t version = 0;
  if (g_cupti.get_version != nullptr) g_cupti.get_version(&version);
  return version;
}

std::string DescribeCupti() {
  return "API version " + std::to_string(ApiVersion()) + ", " + g_cupti.path;
}

// With our name if CUPTI accepts one, so that another tool that is refused can
// report who is subscribed. Since 13.3 a named subscription excludes all
// unnamed clients, torch.profiler among them, so there ours is unnamed.
CUptiResult Subscribe(std::string* holder) {
  constexpr uint32_t kNamedIsExclusive = 130300;
  if (g_cupti.subscribe_named == nullptr || ApiVersion() >= kNamedIsExclusive) {
    return g_cupti.subscribe(&g_subscriber, OnCallback, nullptr);
  }
  char text[64] = "";
  CuptiSubscriberName name;
  name.holder = text;
  name.holder_size = sizeof text;
  const CUptiResult result =
      g_cupti.subscribe_named(&g_subscriber, OnCallback, nullptr, &name);
  text[sizeof text - 1] = '\0';
  *holder = text;
  return result;
}

void SubscribeAndEnable() {
  std::string holder;
  const CUptiResult result = Subscribe(&holder);
  if (result != CUPTI_SUCCESS) {
    // Usually another client, such as a profiler, has subscribed. We try again
    // when it is seen to unsubscribe.
    g_subscriber = nullptr;
    g_yielded = true;
    if (!holder.empty()) holder = " (" + holder + ")";
    return EmitCoverage("cupti", "failed",
                        std::string("cuptiSubscribe: ") + ResultText(result) +
                            holder + ", " + DescribeCupti());
  }
  EnableCallbacks();
  EmitCoverage("cupti", "on", DescribeCupti());
}

void StartCupti() {
  if (g_started.exchange(true)) return;
  Session* session = EnsureSession();
  if (session == nullptr) return;
  InsideScope inside;
  if (session->config.cupti == "off") {
    return EmitCoverage("cupti", "off", "INQUEST_CUPTI=off");
  }
  std::string why;
  if (!LoadCupti(session->config.cupti, &g_cupti, &why)) {
    return EmitCoverage("cupti", "failed", why);
  }
  const ScopedLock lock(&g_mutex);
  WithoutThrowing(SubscribeAndEnable);
}

}  // namespace

void YieldCupti() {
  InsideScope inside;
  const ScopedLock lock(&g_mutex);
  if (g_subscriber != nullptr) {
    g_cupti.unsubscribe(g_subscriber);
    g_subscriber = nullptr;
    g_yielded = true;
    EmitCoverage("cupti", "off", "the program's own profiler has it");
  }
}

void ResumeCupti() {
  InsideScope inside;
  pthread_mutex_lock(&g_mutex);
  if (std::exchange(g_yielded, false)) WithoutThrowing(SubscribeAndEnable);
  pthread_mutex_unlock(&g_mutex);
}

void ResumeCuptiSoon() {
  g_resume_at_ns.store(MonotonicNs() + kResumeAfterNs);
}

namespace {

bool CudaRuns() {
  InsideScope inside;
  int count = 0;
  const DriverApi& driver = Driver();
  return driver.cuDeviceGetCount != nullptr &&
         driver.cuDeviceGetCount(&count) == CUDA_SUCCESS;
}

// A library's constructor may have started CUDA before ours could name this
// library to the driver. Then nothing else will start us.
void StartLate() {
  if (g_started.load() || !InjectionState(kCudaInjection).empty()) return;
  if (!CudaRuns()) return;
  StartCupti();
  EmitCoverage("cupti-before", "off",
               "a library's constructor used CUDA before the collector was "
               "ready: its calls are not recorded");
}

void ResumeIfDue(const Config&) {
  const int64_t due = g_resume_at_ns.load();
  if (due == 0 || MonotonicNs() < due) return;
  g_resume_at_ns.store(0);
  ResumeCupti();
}

}  // namespace

constinit const Source kCuptiSource = {
    .name = "cupti",
    .load = StartLate,
    .start =
        [](const Config&) {
          const std::string other = InjectionState(kCudaInjection);
          if (!other.empty()) EmitCoverage("cupti", "off", other);
        },
    .housekeep = ResumeIfDue,
    .forget_in_child = ForgetDevices,
};

}  // namespace inquest::collector

// Called by the CUDA driver inside cuInit. Always returns 1, success: 0 would
// only make the driver unload us.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace inquest::collector;
  if (!SwitchedOffByUser()) WithoutThrowing(StartCupti);
  return 1;
}
