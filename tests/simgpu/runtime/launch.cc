// SPDX-License-Identifier: Apache-2.0
// Kernel launches. A kernel handle of cudaLibraryGetKernel is launched as it
// is. A function that nvcc compiled is known by its host address only; it is
// launched by name from an empty PTX module, so its parameters go unchecked.
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "runtime/api.h"

namespace simgpu::runtime {
namespace {

struct HostFunction {
  std::string name;
  CUfunction function = nullptr;
};

std::mutex g_launch_mutex;

std::map<const void*, HostFunction>& HostFunctions() {
  static auto* functions = new std::map<const void*, HostFunction>;
  return *functions;
}

CUresult LoadByName(const DriverApi& cu, HostFunction* host) {
  const std::string text =
      ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry " +
      host->name + "()\n{ ret; }\n";
  CUmodule module = nullptr;
  const CUresult loaded = cu.cuModuleLoadData(&module, text.c_str());
  if (loaded != CUDA_SUCCESS) return loaded;
  return cu.cuModuleGetFunction(&host->function, module, host->name.c_str());
}

CUresult Find(const DriverApi& cu, const void* func, CUfunction* out) {
  const std::lock_guard lock(g_launch_mutex);
  const auto found = HostFunctions().find(func);
  if (found == HostFunctions().end()) {  // a handle, checked by the driver
    *out = static_cast<CUfunction>(const_cast<void*>(func));
    return CUDA_SUCCESS;
  }
  HostFunction& host = found->second;
  const CUresult loaded =
      host.function == nullptr ? LoadByName(cu, &host) : CUDA_SUCCESS;
  *out = host.function;
  return loaded;
}

bool IsConfiguration(dim3 grid, dim3 block) {
  return grid.x * grid.y * grid.z != 0 && block.x * block.y * block.z != 0 &&
         uint64_t{block.x} * block.y * block.z <= 1024;
}

}  // namespace

void RegisterHostFunction(const void* func, const char* name) {
  const std::lock_guard lock(g_launch_mutex);
  HostFunctions()[func].name = name;
}

cudaError_t cudaLaunchKernel(const void* func, dim3 grid, dim3 block,
                             void** args, size_t shared, cudaStream_t stream) {
  if (func == nullptr) return cudaErrorInvalidDeviceFunction;
  if (!IsConfiguration(grid, block)) return cudaErrorInvalidConfiguration;
  return WithContext([&](const DriverApi& cu) {
    CUfunction function = nullptr;
    const CUresult found = Find(cu, func, &function);
    if (found != CUDA_SUCCESS) return found;
    return cu.cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y,
                             block.z, static_cast<unsigned>(shared), stream,
                             args, nullptr);
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config,
                                const void* func, void** args) {
  if (config == nullptr) return cudaErrorInvalidValue;
  return runtime::cudaLaunchKernel(func, config->gridDim, config->blockDim,
                                   args, config->dynamicSmemBytes,
                                   config->stream);
}

cudaError_t cudaFuncSetAttribute(const void* func, enum cudaFuncAttribute,
                                 int) {
  return func == nullptr ? cudaErrorInvalidDeviceFunction : Ready();
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* out,
                                  const void* func) {
  if (out == nullptr) return cudaErrorInvalidValue;
  if (func == nullptr) return cudaErrorInvalidDeviceFunction;
  std::memset(out, 0, sizeof *out);
  out->maxThreadsPerBlock = 1024;
  out->numRegs = 32;
  return Ready();
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                          const void* func,
                                                          int block_size,
                                                          size_t) {
  if (blocks == nullptr || block_size <= 0) return cudaErrorInvalidValue;
  if (func == nullptr) return cudaErrorInvalidDeviceFunction;
  *blocks = block_size > 1024 ? 0 : 1536 / block_size;
  return Ready();
}

#if CUDART_VERSION >= 12080
cudaError_t cudaLibraryLoadData(cudaLibrary_t* out, const void* code,
                                enum cudaJitOption*, void**, unsigned,
                                enum cudaLibraryOption*, void**, unsigned) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuLibraryLoadData(out, code, nullptr, nullptr, 0, nullptr,
                                nullptr, 0);
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuLibraryUnload(library); });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* out, cudaLibrary_t library,
                                 const char* name) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuLibraryGetKernel(reinterpret_cast<CUkernel*>(out), library,
                                 name);
  });
}
#endif

cudaError_t cudaGetDriverEntryPointByVersion(
    const char* symbol, void** out, unsigned version, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult* status) {
  const cudaError_t started = Started();
  if (started != cudaSuccess) return started;
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
  Cu().cuGetProcAddress_v2(symbol, out, static_cast<int>(version), flags,
                           &found);
  if (status != nullptr) {
    *status = static_cast<enum cudaDriverEntryPointQueryResult>(found);
  }
  return cudaSuccess;
}

}  // namespace simgpu::runtime
