// SPDX-License-Identifier: Apache-2.0
#include "collector/cuda/cupti_hooks.h"

#include <cupti.h>

#include <cstring>

#include "collector/core/dlsym_hook.h"
#include "collector/core/next_symbol.h"
#include "collector/core/thread_state.h"
#include "collector/cuda/cupti_source.h"
#include "collector/process/modules.h"

namespace inquest::collector {
namespace {

template <typename Function>
Function Real(const char* name, void* caller) {
  void* found = FindNextSymbol(name, caller);
  if (found == nullptr) {
    InsideScope inside;
    void* library = HandleOfLoaded("libcupti.so");
    if (library != nullptr) found = RealDlsym(library, name);
  }
  return reinterpret_cast<Function>(found);
}

bool IsHost(void* caller) {
  return !Inside() && !ModuleNameBegins(caller, "libcupti");
}

}  // namespace
}  // namespace inquest::collector

// Since CUDA 13.0, if the header declares it; the parameters are the host's and
// are passed on unread.
CUptiResult SubscribeNamed(CUpti_SubscriberHandle* subscriber,
                           CUpti_CallbackFunc callback, void* data,
                           void* parameters) __asm__("cuptiSubscribe_v2");

namespace inquest::collector {
namespace {

// Gives up our subscription while `subscribe` runs, and until the host
// unsubscribes if it succeeds.
template <typename Subscribe>
CUptiResult StepAside(void* caller, Subscribe subscribe) {
  const bool host = IsHost(caller);
  if (host) YieldCupti();
  const CUptiResult result = subscribe();
  if (host && result != CUPTI_SUCCESS) ResumeCupti();
  return result;
}

}  // namespace
}  // namespace inquest::collector

extern "C" {

__attribute__((visibility("default"))) CUptiResult cuptiSubscribe(
    CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
    void* data) {
  using namespace inquest::collector;
  void* caller = __builtin_return_address(0);
  const auto real = Real<decltype(&::cuptiSubscribe)>("cuptiSubscribe", caller);
  if (real == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  return StepAside(caller, [&] { return real(subscriber, callback, data); });
}

__attribute__((visibility("default"))) CUptiResult cuptiUnsubscribe(
    CUpti_SubscriberHandle subscriber) {
  using namespace inquest::collector;
  void* caller = __builtin_return_address(0);
  const auto real =
      Real<decltype(&::cuptiUnsubscribe)>("cuptiUnsubscribe", caller);
  if (real == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = real(subscriber);
  if (IsHost(caller) && result == CUPTI_SUCCESS) ResumeCupti();
  return result;
}

// Removes all subscribers, ours too. The drain subscribes again later, because
// the host may be in the middle of a callback.
__attribute__((visibility("default"))) CUptiResult cuptiFinalize() {
  using namespace inquest::collector;
  void* caller = __builtin_return_address(0);
  const auto real = Real<decltype(&::cuptiFinalize)>("cuptiFinalize", caller);
  if (real == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  const bool host = IsHost(caller);
  if (host) YieldCupti();
  const CUptiResult result = real();
  if (host) ResumeCuptiSoon();
  return result;
}

}  // extern "C"

__attribute__((visibility("default"))) CUptiResult SubscribeNamed(
    CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* data,
    void* parameters) {
  using namespace inquest::collector;
  void* caller = __builtin_return_address(0);
  const auto real =
      Real<decltype(&::SubscribeNamed)>("cuptiSubscribe_v2", caller);
  if (real == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  return StepAside(
      caller, [&] { return real(subscriber, callback, data, parameters); });
}

namespace inquest::collector {

void* CuptiHook(const char* name) {
  const struct {
    const char* name;
    void* hook;
  } hooks[] = {
      {"cuptiSubscribe", reinterpret_cast<void*>(&::cuptiSubscribe)},
      {"cuptiSubscribe_v2", reinterpret_cast<void*>(&::SubscribeNamed)},
      {"cuptiUnsubscribe", reinterpret_cast<void*>(&::cuptiUnsubscribe)},
      {"cuptiFinalize", reinterpret_cast<void*>(&::cuptiFinalize)}};
  for (const auto& known : hooks) {
    if (std::strcmp(name, known.name) == 0) return known.hook;
  }
  return nullptr;
}

}  // namespace inquest::collector
