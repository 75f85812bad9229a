// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver_api.h"

#include <dlfcn.h>

namespace simgpu {
namespace {

template <class Function>
bool Resolve(void* library, const char* name, Function* out) {
  *out = reinterpret_cast<Function>(dlsym(library, name));
  return *out != nullptr;
}

const DriverApi* Load() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto* api = new DriverApi;
  bool complete = true;
#define SIMGPU_RESOLVE(name) \
  complete = Resolve(library, #name, &api->name) && complete;
  SIMGPU_DRIVER_FUNCTIONS(SIMGPU_RESOLVE)
#undef SIMGPU_RESOLVE
  if (!complete) {
    delete api;
    return nullptr;
  }
  const void* table = nullptr;
  if (api->cuGetExportTable(&table, &kPrivateTableId) == CUDA_SUCCESS) {
    api->table = static_cast<const PrivateTable*>(table);
  }
  return api;
}

}  // namespace

const DriverApi* LoadDriver() {
  static const DriverApi* api = Load();
  return api;
}

}  // namespace simgpu
