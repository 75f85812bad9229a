// SPDX-License-Identifier: Apache-2.0
// A program with a CUPTI profiler of its own: allocates 1 MiB before, 2 MiB
// while, and 3 MiB after it profiles. Its subscription must succeed and see its
// own calls. "dlsym": finds CUPTI as TensorFlow does. "named": subscribes with
// a name; "first": even before cuInit. "finalize": takes CUPTI down instead,
// and waits until we are back.
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace {

int g_seen = 0;

void CUPTIAPI Count(void*, CUpti_CallbackDomain, CUpti_CallbackId,
                    const void* data) {
  if (static_cast<const CUpti_CallbackData*>(data)->callbackSite ==
      CUPTI_API_EXIT) {
    ++g_seen;
  }
}

void Allocate(size_t mebibytes) {
  CUdeviceptr block = 0;
  cuMemAlloc(&block, mebibytes << 20);
}

CUptiResult SubscribeNamed(CUpti_SubscriberHandle* handle) {
#ifdef CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN  // from CUDA 13.0 on
  CUpti_SubscriberParams parameters{};
  parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  parameters.subscriberName = "the host";
  return cuptiSubscribe_v2(handle, Count, nullptr, &parameters);
#else
  return cuptiSubscribe(handle, Count, nullptr);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  auto subscribe = &cuptiSubscribe;
  auto unsubscribe = &cuptiUnsubscribe;
  const std::string way = argc > 1 ? argv[1] : "";
  if (way == "dlsym") {
    void* library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) library = dlopen("libcupti.so", RTLD_NOW);
    if (library == nullptr) return 2;
    subscribe =
        reinterpret_cast<decltype(subscribe)>(dlsym(library, "cuptiSubscribe"));
    unsubscribe = reinterpret_cast<decltype(unsubscribe)>(
        dlsym(library, "cuptiUnsubscribe"));
  }
  CUpti_SubscriberHandle handle = nullptr;
  int subscribed = way == "first" ? SubscribeNamed(&handle) : -1;
  cuInit(0);
  CUcontext context = nullptr;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  Allocate(1);
  if (way == "named") subscribed = SubscribeNamed(&handle);
  if (subscribed < 0) subscribed = subscribe(&handle, Count, nullptr);
  std::printf("subscribe %d\n", subscribed);
  cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_DRIVER_API,
                      CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
  Allocate(2);
  std::printf("unsubscribe %d\n",
              way == "finalize" ? cuptiFinalize() : unsubscribe(handle));
  if (way == "finalize") sleep(2);
  Allocate(3);
  std::printf("seen %d\n", g_seen);
  return 0;
}
