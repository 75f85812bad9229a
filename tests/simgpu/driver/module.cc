// SPDX-License-Identifier: Apache-2.0
// Loading and unloading modules and libraries. A library's module is loaded
// at once into the current context; a cuLibrary handle is that module.
#include <cstring>

#include "core/config.h"
#include "driver/api.h"
#include "driver/launch.h"

namespace simgpu::driver {
namespace {

std::atomic<uint32_t> g_module_id{0};

// PTX 9.x came with CUDA 13.x, 8.x with 12.x and so on, minor by minor.
int NewestPtx(int driver_version) {
  return (driver_version / 1000 - 4) * 10 + driver_version % 1000 / 10;
}

bool IsText(const char* image) {
  return std::memcmp(image,
                     "\x7f"
                     "ELF",
                     4) != 0 &&
         std::memcmp(image, "\x50\xed\x55\xba", 4) != 0;
}

CUresult CheckPtx(const PtxModule& ptx) {
  const Config& config = GetConfig();
  if (ptx.version > NewestPtx(config.driver_version)) {
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  const int own = config.compute_major * 10 + config.compute_minor;
  return ptx.target > own ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_SUCCESS;
}

CUresult Fill(CUmod_st* module, const char* image) {
  if (!IsText(image)) {
    module->opaque = true;
    return CUDA_SUCCESS;
  }
  PtxModule ptx;
  module->image = image;
  if (!ParsePtx(module->image, &ptx)) return CUDA_ERROR_INVALID_PTX;
  for (KernelEntry& entry : ptx.entries) {
    auto function = std::make_unique<CUfunc_st>();
    function->module = module;
    function->entry = entry;
    module->functions[entry.name] = std::move(function);
  }
  return CheckPtx(ptx);
}

CUresult TakeMemory(CUmod_st* module) {
  const uint64_t bytes = GetConfig().module_bytes;
  if (bytes == 0) return CUDA_SUCCESS;
  const auto address = module->context->device->AllocateTop(bytes);
  module->memory = address.value_or(0);
  return address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

}  // namespace

CUresult LoadModule(CUmodule* out, const void* image) {
  if (out == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto module = std::make_unique<CUmod_st>();
  module->context = Current();
  CUresult result = Fill(module.get(), static_cast<const char*>(image));
  if (result == CUDA_SUCCESS) result = TakeMemory(module.get());
  if (result != CUDA_SUCCESS) return result;
  module->id = ++g_module_id;
  *out = module.release();
  EmitModule(CUPTI_CBID_RESOURCE_MODULE_LOADED, Current(), (*out)->id,
             (*out)->image.data(), (*out)->image.size());
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* out, const void* image) {
  return LoadModule(out, image);
}

CUresult cuModuleLoadDataEx(CUmodule* out, const void* image, unsigned,
                            CUjit_option*, void**) {
  return LoadModule(out, image);
}

CUresult cuModuleLoadFatBinary(CUmodule* out, const void* image) {
  return LoadModule(out, image);
}

CUresult cuModuleUnload(CUmodule module) {
  if (!IsLive(module)) return CUDA_ERROR_INVALID_HANDLE;
  EmitModule(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, module->context,
             module->id, module->image.data(), module->image.size());
  if (module->memory != 0 && IsLive(module->context)) {
    module->context->device->Free(module->memory);
  }
  module->magic = kDead;
  delete module;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* out, CUmodule module,
                             const char* name) {
  if (out == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsLive(module)) return CUDA_ERROR_INVALID_HANDLE;
  auto& function = module->functions[name];
  if (!function && module->opaque) {
    function = std::make_unique<CUfunc_st>();
    function->module = module;
    function->entry.name = name;
  }
  if (!function) {
    module->functions.erase(name);
    return CUDA_ERROR_NOT_FOUND;
  }
  *out = function.get();
  return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary* out, const void* code, CUjit_option*,
                           void**, unsigned, CUlibraryOption*, void**,
                           unsigned) {
  CUmodule module = nullptr;
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = LoadModule(&module, code);
  if (result == CUDA_SUCCESS) *out = reinterpret_cast<CUlibrary>(module);
  return result;
}

CUresult cuLibraryUnload(CUlibrary library) {
  return driver::cuModuleUnload(reinterpret_cast<CUmodule>(library));
}

CUresult cuLibraryGetKernel(CUkernel* out, CUlibrary library,
                            const char* name) {
  return driver::cuModuleGetFunction(reinterpret_cast<CUfunction*>(out),
                                     reinterpret_cast<CUmodule>(library), name);
}

CUresult cuLibraryGetModule(CUmodule* out, CUlibrary library) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUmodule>(library);
  return CUDA_SUCCESS;
}

CUresult cuKernelGetFunction(CUfunction* out, CUkernel kernel) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUfunction>(kernel);
  return IsLive(*out) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace simgpu::driver
