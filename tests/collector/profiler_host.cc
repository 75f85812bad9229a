// A program with a CUPTI profiler of its own: allocates 1 MiB before, 2 MiB
// while, and 3 MiB after it profiles. Its subscription must succeed and see its
// own calls. "dlsym": finds CUPTI as TensorFlow does.
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>

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

}  // namespace

int main(int argc, char** argv) {
  auto subscribe = &cuptiSubscribe;
  auto unsubscribe = &cuptiUnsubscribe;
  if (argc > 1 && std::string(argv[1]) == "dlsym") {
    void* library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) library = dlopen("libcupti.so", RTLD_NOW);
    if (library == nullptr) return 2;
    subscribe =
        reinterpret_cast<decltype(subscribe)>(dlsym(library, "cuptiSubscribe"));
    unsubscribe = reinterpret_cast<decltype(unsubscribe)>(
        dlsym(library, "cuptiUnsubscribe"));
  }
  cuInit(0);
  CUcontext context = nullptr;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  Allocate(1);
  CUpti_SubscriberHandle handle = nullptr;
  std::printf("subscribe %d\n", subscribe(&handle, Count, nullptr));
  cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_DRIVER_API,
                      CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
  Allocate(2);
  std::printf("unsubscribe %d\n", unsubscribe(handle));
  Allocate(3);
  std::printf("seen %d\n", g_seen);
  return 0;
}
