// SPDX-License-Identifier: Apache-2.0
// The comparison for recording: a CUPTI client with the same callbacks as the
// collector's for the loop of stack_host.cc, loaded by CUDA_INJECTION64_PATH.
// It does nothing in them or, with BENCH_SUBSCRIBER=copy, what every recorder
// has to do: reads the clock and copies 64 bytes.
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>
#include <time.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

constexpr size_t kSlots = 1 << 18;

struct Record {
  int64_t time_ns;
  uint64_t address;
  uint64_t words[6];
};

Record* g_ring = nullptr;
size_t g_next = 0;

void Copy(const CUpti_CallbackData& data) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  Record record{};
  record.time_ns = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  record.address = reinterpret_cast<uint64_t>(data.functionParams);
  record.words[0] = data.contextUid;
  std::memcpy(&g_ring[g_next++ % kSlots], &record, sizeof record);
}

// Of the four calls of a pair two make a record, as in the collector.
void OnCallback(void*, CUpti_CallbackDomain, CUpti_CallbackId cbid,
                const void* raw) {
  if (g_ring == nullptr) return;
  const auto& data = *static_cast<const CUpti_CallbackData*>(raw);
  const bool enters = data.callbackSite == CUPTI_API_ENTER;
  if (enters == (cbid == CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2)) Copy(data);
}

template <class Function>
Function Find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

extern "C" int InitializeInjection() {
  void* cupti = dlopen("libcupti.so.13", RTLD_NOW);
  if (cupti == nullptr) cupti = dlopen("libcupti.so.12", RTLD_NOW);
  if (cupti == nullptr) return 0;
  const char* mode = std::getenv("BENCH_SUBSCRIBER");
  if (mode != nullptr && std::strcmp(mode, "copy") == 0) {
    g_ring = static_cast<Record*>(std::malloc(kSlots * sizeof(Record)));
    std::memset(g_ring, 1, kSlots * sizeof(Record));
  }
  CUpti_SubscriberHandle subscriber = nullptr;
  Find<decltype(&cuptiSubscribe)>(cupti, "cuptiSubscribe")(&subscriber,
                                                           OnCallback, nullptr);
  for (const CUpti_CallbackId call : {CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,
                                      CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2}) {
    Find<decltype(&cuptiEnableCallback)>(cupti, "cuptiEnableCallback")(
        1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, call);
  }
  return 1;
}
