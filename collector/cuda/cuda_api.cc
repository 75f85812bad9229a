// SPDX-License-Identifier: Apache-2.0
#include "collector/cuda/cuda_api.h"

#include <dlfcn.h>

#include <atomic>
#include <string_view>

#include "collector/core/dlopen_hook.h"
#include "collector/core/dlsym_hook.h"
#include "collector/core/thread_state.h"
#include "collector/process/modules.h"
#include "collector/stacks/signal_stack.h"

namespace inquest::collector {
namespace {

void FillDriver(void* library, DriverApi* api) {
  FindSymbol(library, "cuGetErrorName", &api->cuGetErrorName);
  FindSymbol(library, "cuGetErrorString", &api->cuGetErrorString);
  FindSymbol(library, "cuDriverGetVersion", &api->cuDriverGetVersion);
  FindSymbol(library, "cuDeviceGetCount", &api->cuDeviceGetCount);
  FindSymbol(library, "cuDeviceGet", &api->cuDeviceGet);
  FindSymbol(library, "cuDeviceGetName", &api->cuDeviceGetName);
  FindSymbol(library, "cuDeviceTotalMem_v2", &api->cuDeviceTotalMem);
  FindSymbol(library, "cuDeviceGetAttribute", &api->cuDeviceGetAttribute);
  FindSymbol(library, "cuDeviceGetUuid_v2", &api->cuDeviceGetUuid);
  if (api->cuDeviceGetUuid == nullptr) {
    FindSymbol(library, "cuDeviceGetUuid", &api->cuDeviceGetUuid);
  }
  FindSymbol(library, "cuDeviceGetPCIBusId", &api->cuDeviceGetPCIBusId);
  FindSymbol(library, "cuCtxGetDevice", &api->cuCtxGetDevice);
  FindSymbol(library, "cuMemGetInfo_v2", &api->cuMemGetInfo);
  FindSymbol(library, "cuMemGetAddressRange_v2", &api->cuMemGetAddressRange);
}

using ErrorText = const char* (*)(int);

ErrorText RuntimeFunction(const char* name) {
  void* library = HandleOfLoaded("libcudart.so");
  return library == nullptr
             ? nullptr
             : reinterpret_cast<ErrorText>(RealDlsym(library, name));
}

}  // namespace

const DriverApi& Driver() {
  static const DriverApi none;
  // Leaked on purpose: used until the very end of the process.
  static std::atomic<const DriverApi*> found{nullptr};
  const DriverApi* api = found.load(std::memory_order_acquire);
  if (api != nullptr) return *api;
  void* library = OpenLibrary("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return none;
  auto* filled = new DriverApi;
  FillDriver(library, filled);
  const DriverApi* before = nullptr;
  if (!found.compare_exchange_strong(before, filled)) delete filled;
  return *found.load(std::memory_order_acquire);
}

int RuntimeVersion() {
  void* library = HandleOfLoaded("libcudart.so");
  if (library == nullptr) return 0;
  const auto get = reinterpret_cast<int (*)(int*)>(
      RealDlsym(library, "cudaRuntimeGetVersion"));
  int version = 0;
  return get != nullptr && get(&version) == 0 ? version : 0;
}

const char* DriverErrorName(int64_t result) {
  const char* name = nullptr;
  if (Driver().cuGetErrorName != nullptr) {
    Driver().cuGetErrorName(static_cast<CUresult>(result), &name);
  }
  return name != nullptr ? name : "unknown CUDA error";
}

const char* DriverErrorText(int64_t result) {
  const char* text = nullptr;
  if (Driver().cuGetErrorString != nullptr) {
    Driver().cuGetErrorString(static_cast<CUresult>(result), &text);
  }
  return text != nullptr ? text : "";
}

// On a small signal stack there is no room to search the libraries.
const char* RuntimeErrorName(int64_t result) {
  if (OnSmallSignalStack()) return DriverErrorName(result);
  static const ErrorText get = RuntimeFunction("cudaGetErrorName");
  const char* name = get != nullptr ? get(static_cast<int>(result)) : nullptr;
  return name != nullptr ? name : DriverErrorName(result);
}

const char* RuntimeErrorText(int64_t result) {
  if (OnSmallSignalStack()) return DriverErrorText(result);
  static const ErrorText get = RuntimeFunction("cudaGetErrorString");
  const char* text = get != nullptr ? get(static_cast<int>(result)) : nullptr;
  return text != nullptr ? text : DriverErrorText(result);
}

}  // namespace inquest::collector
