#include "collector/cupti_hooks.h"

#include <cupti.h>

#include <cstring>

#include "collector/behind.h"
#include "collector/cupti_source.h"
#include "collector/dlsym_hook.h"
#include "collector/modules.h"
#include "collector/thread_state.h"

namespace inquest::collector {
namespace {

template <typename Function>
Function Real(const char* name, void* caller) {
  void* found = FindBehind(name, caller);
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

extern "C" {

__attribute__((visibility("default"))) CUptiResult cuptiSubscribe(
    CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
    void* data) {
  using namespace inquest::collector;
  void* caller = __builtin_return_address(0);
  const auto real = Real<decltype(&::cuptiSubscribe)>("cuptiSubscribe", caller);
  if (real == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  const bool host = IsHost(caller);
  if (host) YieldCupti();
  const CUptiResult result = real(subscriber, callback, data);
  if (host && result != CUPTI_SUCCESS) ResumeCupti();
  return result;
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

}  // extern "C"

namespace inquest::collector {

void* CuptiHook(const char* name) {
  if (std::strcmp(name, "cuptiSubscribe") == 0) {
    return reinterpret_cast<void*>(&::cuptiSubscribe);
  }
  if (std::strcmp(name, "cuptiUnsubscribe") == 0) {
    return reinterpret_cast<void*>(&::cuptiUnsubscribe);
  }
  return nullptr;
}

}  // namespace inquest::collector
