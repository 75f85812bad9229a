// SPDX-License-Identifier: Apache-2.0
#include "runtime/api.h"

#include <array>
#include <atomic>
#include <mutex>

namespace simgpu::runtime {
namespace {

constexpr int kMaxDevices = 8;

struct Bound {
  int device = 0;
  uint32_t generation = 0;  // 0: no context bound yet
};

std::mutex g_runtime_mutex;
std::array<CUcontext, kMaxDevices> g_primary{};
std::atomic<uint32_t> g_generation{1};

thread_local cudaError_t t_last = cudaSuccess;
thread_local Bound t_bound;

// Errors after which a context is lost: querying does not clear them.
bool IsSticky(cudaError_t error) {
  switch (static_cast<int>(error)) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
      return true;
    default:
      return false;
  }
}

// A runtime of a newer major version than the driver does not start.
cudaError_t CheckVersion(const DriverApi& driver) {
  int version = 0;
  driver.cuDriverGetVersion(&version);
  return version / 1000 < CUDART_VERSION / 1000 ? cudaErrorInsufficientDriver
                                                : cudaSuccess;
}

cudaError_t Bind(int device) {
  const DriverApi& cu = Cu();
  const std::lock_guard lock(g_runtime_mutex);
  CUcontext& context = g_primary[device];
  if (context == nullptr) {
    const CUresult made = cu.cuDevicePrimaryCtxRetain(&context, device);
    if (made != CUDA_SUCCESS) {
      context = nullptr;
      return Error(made);
    }
  }
  const CUresult set = cu.cuCtxSetCurrent(context);
  if (set == CUDA_SUCCESS) t_bound = {device, g_generation.load()};
  return Error(set);
}

bool IsBound(const DriverApi& driver) {
  if (t_bound.generation != g_generation.load(std::memory_order_relaxed)) {
    return false;
  }
  return driver.table == nullptr || driver.table->current_context() != nullptr;
}

}  // namespace

const DriverApi& Cu() {
  return *LoadDriver();
}

cudaError_t Error(CUresult result) {
  return static_cast<cudaError_t>(result);
}

void NoteError(cudaError_t error) {
  t_last = error;
}

cudaError_t LastError() {
  return t_last;
}

cudaError_t TakeLastError() {
  const cudaError_t error = t_last;
  if (!IsSticky(error)) t_last = cudaSuccess;
  return error;
}

cudaError_t Started() {
  const DriverApi* driver = LoadDriver();
  if (driver == nullptr) return cudaErrorInsufficientDriver;
  const cudaError_t version = CheckVersion(*driver);
  return version != cudaSuccess ? version : Error(driver->cuInit(0));
}

cudaError_t Ready() {
  const DriverApi* driver = LoadDriver();
  if (driver != nullptr && IsBound(*driver)) [[likely]] {
    return cudaSuccess;
  }
  const cudaError_t started = Started();
  return started != cudaSuccess ? started : Bind(t_bound.device);
}

int CurrentDevice() {
  return t_bound.device;
}

cudaError_t UseDevice(int device) {
  const cudaError_t started = Started();
  if (started != cudaSuccess) return started;
  int count = 0;
  Cu().cuDeviceGetCount(&count);
  if (device < 0 || device >= count || device >= kMaxDevices) {
    return cudaErrorInvalidDevice;
  }
  return Bind(device);
}

void ForgetContexts(int device) {
  const std::lock_guard lock(g_runtime_mutex);
  g_primary[device] = nullptr;
  t_bound.generation = 0;
  ++g_generation;
}

}  // namespace simgpu::runtime
