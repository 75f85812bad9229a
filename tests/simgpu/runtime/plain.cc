// SPDX-License-Identifier: Apache-2.0
// Exported functions that have no CUPTI parameter struct: texts, descriptors,
// and the entry points that code compiled by nvcc calls before main.
#include <cuda_runtime_api.h>

#include "core/error_text.h"
#include "runtime/api.h"

namespace simgpu::runtime {
void RegisterHostFunction(const void* func, const char* name);

namespace {

struct Configuration {
  dim3 grid;
  dim3 block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
};

thread_local Configuration t_pushed;
void* g_fat_binary = nullptr;

}  // namespace
}  // namespace simgpu::runtime

using simgpu::runtime::t_pushed;

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  const char* name = simgpu::RuntimeErrorName(error);
  return name != nullptr ? name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const char* text = simgpu::ErrorText(error);
  return text != nullptr ? text : "unrecognized error code";
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(
    int x, int y, int z, int w, enum cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaGetExportTable(const void** out, const cudaUUID_t* id) {
  const simgpu::DriverApi* driver = simgpu::LoadDriver();
  if (driver == nullptr) return cudaErrorInsufficientDriver;
  return simgpu::runtime::Error(driver->cuGetExportTable(out, id));
}

void** __cudaRegisterFatBinary(void*) {
  return &simgpu::runtime::g_fat_binary;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) {
  return 1;
}

void __cudaRegisterFunction(void**, const char* host, char*, const char* name,
                            int, uint3*, uint3*, dim3*, dim3*, int*) {
  simgpu::runtime::RegisterHostFunction(host, name);
}

void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int,
                       int) {}
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, size_t,
                              int, int) {}

// Programs of nvcc 13 ask for the kernel once and launch its handle.
cudaError_t __cudaGetKernel(cudaKernel_t* out, const void* host) {
  *out = static_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void** args, size_t shared,
                               cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     cudaStream_t stream) {
  t_pushed = {grid, block, shared, stream};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared,
                                       void* stream) {
  *grid = t_pushed.grid;
  *block = t_pushed.block;
  *shared = t_pushed.shared;
  *static_cast<cudaStream_t*>(stream) = t_pushed.stream;
  return cudaSuccess;
}

}  // extern "C"
