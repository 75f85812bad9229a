// SPDX-License-Identifier: Apache-2.0
#include "cupti/subscriber.h"

#include <dlfcn.h>

#include <cstdio>
#include <mutex>

namespace simgpu::cupti {
namespace {

std::mutex g_mutex;
std::atomic<CUpti_SubscriberHandle> g_subscriber{nullptr};

void Dispatch(CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
              const void* data) {
  CUpti_SubscriberHandle subscriber = g_subscriber.load();
  if (subscriber == nullptr) return;
  subscriber->callback(subscriber->userdata, domain, cbid, data);
}

const PrivateTable* LoadTable() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  using Getter = CUresult (*)(const void**, const CUuuid*);
  auto* get = reinterpret_cast<Getter>(dlsym(library, "cuGetExportTable"));
  const void* table = nullptr;
  if (get == nullptr || get(&table, &kPrivateTableId) != CUDA_SUCCESS) {
    return nullptr;
  }
  return static_cast<const PrivateTable*>(table);
}

CUptiResult Refuse(CUpti_SubscriberParams* params) {
  if (params != nullptr && params->oldSubscriberName != nullptr) {
    std::snprintf(params->oldSubscriberName, params->oldSubscriberSize,
                  "CUPTI for %s", g_subscriber.load()->name);
  }
  return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
}

void ClearFlags() {
  for (int domain = 1; domain < CUPTI_CB_DOMAIN_SIZE; ++domain) {
    const Flags flags = FlagsOf(static_cast<CUpti_CallbackDomain>(domain));
    for (uint32_t i = 0; i < flags.count; ++i) flags.first[i].store(0);
  }
}

void Clear() {
  ClearFlags();
  Driver()->callbacks->dispatch.store(nullptr);
  g_subscriber.store(nullptr);
}

}  // namespace

const PrivateTable* Driver() {
  static const PrivateTable* table = LoadTable();
  return table;
}

CUptiResult Subscribe(CUpti_SubscriberHandle* out, CUpti_CallbackFunc callback,
                      void* userdata, CUpti_SubscriberParams* params) {
  if (out == nullptr || callback == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  if (Driver() == nullptr) return CUPTI_ERROR_UNKNOWN;
  const std::lock_guard lock(g_mutex);
  if (g_subscriber.load() != nullptr) return Refuse(params);
  auto* made = new CUpti_Subscriber_st;
  made->callback = callback;
  made->userdata = userdata;
  if (params != nullptr && params->subscriberName != nullptr) {
    std::snprintf(made->name, sizeof made->name, "%s", params->subscriberName);
  }
  g_subscriber.store(made);
  Driver()->callbacks->dispatch.store(Dispatch);
  *out = made;
  return CUPTI_SUCCESS;
}

// The object stays: a callback may be running on another thread.
CUptiResult Unsubscribe(CUpti_SubscriberHandle subscriber) {
  const std::lock_guard lock(g_mutex);
  if (!IsSubscriber(subscriber)) return CUPTI_ERROR_INVALID_PARAMETER;
  Clear();
  return CUPTI_SUCCESS;
}

void UnsubscribeAnyone() {
  const std::lock_guard lock(g_mutex);
  if (g_subscriber.load() != nullptr) Clear();
}

bool IsSubscriber(CUpti_SubscriberHandle subscriber) {
  return subscriber != nullptr && subscriber == g_subscriber.load();
}

Flags FlagsOf(CUpti_CallbackDomain domain) {
  CallbackState* state = Driver()->callbacks;
  switch (domain) {
    case CUPTI_CB_DOMAIN_DRIVER_API:
      return {state->driver, CUPTI_DRIVER_TRACE_CBID_SIZE};
    case CUPTI_CB_DOMAIN_RUNTIME_API:
      return {state->runtime, CUPTI_RUNTIME_TRACE_CBID_SIZE};
    case CUPTI_CB_DOMAIN_RESOURCE:
      return {state->resource, CUPTI_CBID_RESOURCE_SIZE};
    case CUPTI_CB_DOMAIN_SYNCHRONIZE:
      return {state->synchronize, CUPTI_CBID_SYNCHRONIZE_SIZE};
    default:
      return {};
  }
}

}  // namespace simgpu::cupti
