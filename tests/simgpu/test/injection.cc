// SPDX-License-Identifier: Apache-2.0
// A tiny collector for the tests: loaded by the driver through
// CUDA_INJECTION64_PATH, it subscribes to CUPTI and writes one line a callback
// to the file named by SIMGPU_TEST_TRACE:
//   domain cbid name site size-or-address result correlation
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

FILE* g_trace = nullptr;

unsigned long long SizeOf(CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                          const void* params) {
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API &&
      cbid == CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2) {
    return static_cast<const cuMemAlloc_v2_params*>(params)->bytesize;
  }
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API &&
      cbid == CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020) {
    return static_cast<const cudaMalloc_v3020_params*>(params)->size;
  }
  return 0;
}

void OnCallback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                const void* raw) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    std::fprintf(g_trace, "resource %u\n", cbid);
    return;
  }
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API &&
      domain != CUPTI_CB_DOMAIN_RUNTIME_API) {
    return;
  }
  const auto* data = static_cast<const CUpti_CallbackData*>(raw);
  const bool is_exit = data->callbackSite == CUPTI_API_EXIT;
  const int result =
      is_exit ? *static_cast<const int*>(data->functionReturnValue) : -1;
  if (!is_exit) *data->correlationData = data->correlationId;
  const bool kept = *data->correlationData == data->correlationId;
  std::fprintf(g_trace, "%s %u %s %s %llu %d %u %s %s\n",
               domain == CUPTI_CB_DOMAIN_DRIVER_API ? "driver" : "runtime",
               cbid, data->functionName, is_exit ? "exit" : "enter",
               SizeOf(domain, cbid, data->functionParams), result,
               data->contextUid, kept ? "kept" : "lost",
               data->symbolName ? data->symbolName : "-");
}

template <class Function>
Function Find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

extern "C" int InitializeInjection() {
  g_trace = std::fopen(std::getenv("SIMGPU_TEST_TRACE"), "w");
  void* cupti = dlopen("libcupti.so", RTLD_NOW);
  if (g_trace == nullptr || cupti == nullptr) return 0;
  std::setvbuf(g_trace, nullptr, _IOLBF, 0);
  CUpti_SubscriberHandle first = nullptr;
  CUpti_SubscriberHandle second = nullptr;
  auto* subscribe = Find<decltype(&cuptiSubscribe)>(cupti, "cuptiSubscribe");
  auto* enable =
      Find<decltype(&cuptiEnableAllDomains)>(cupti, "cuptiEnableAllDomains");
  std::fprintf(g_trace, "subscribe %d\n",
               subscribe(&first, OnCallback, nullptr));
  std::fprintf(g_trace, "again %d\n", subscribe(&second, OnCallback, nullptr));
  enable(1, first);
  return 1;
}
