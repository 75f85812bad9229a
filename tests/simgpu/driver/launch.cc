// SPDX-License-Identifier: Apache-2.0
#include "driver/launch.h"

#include <cstring>

#include "driver/address.h"

namespace simgpu::driver {
namespace {

constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kMaxShared = 101376;

struct Shape {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared;
};

bool IsPossible(const Shape& shape) {
  uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (shape.grid[i] == 0 || shape.block[i] == 0) return false;
    threads *= shape.block[i];
  }
  return threads <= kMaxThreads && shape.block[2] <= 64 &&
         shape.grid[1] <= 65535 && shape.grid[2] <= 65535 &&
         shape.shared <= kMaxShared;
}

// The parameter block of CU_LAUNCH_PARAM_BUFFER_POINTER, or null.
const char* ParamBuffer(void** extra) {
  for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      return static_cast<const char*>(extra[1]);
    }
  }
  return nullptr;
}

bool PointersAreValid(const KernelEntry& entry, void** params, void** extra) {
  const char* buffer = ParamBuffer(extra);
  for (size_t i = 0; i < entry.params.size(); ++i) {
    const KernelParam& param = entry.params[i];
    if (!param.is_pointer) continue;
    uint64_t value = 0;
    if (buffer != nullptr) {
      std::memcpy(&value, buffer + param.offset, sizeof value);
    } else {
      std::memcpy(&value, params[i], sizeof value);
    }
    if (!OnDevice(Locate(value).kind)) return false;
  }
  return true;
}

CUresult Launch(CUfunction function, const Shape& shape, CUstream stream,
                void** params, void** extra) {
  if (!IsLive(function) || !IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  if (!IsPossible(shape)) return CUDA_ERROR_INVALID_VALUE;
  const KernelEntry& entry = function->entry;
  if (!entry.params.empty() && params == nullptr && extra == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!PointersAreValid(entry, params, extra)) {
    Current()->error.store(CUDA_ERROR_ILLEGAL_ADDRESS);
  }
  return CUDA_SUCCESS;
}

}  // namespace

const char* KernelName(CUfunction function) {
  return IsLive(function) ? function->entry.name.c_str() : nullptr;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                        unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared, CUstream stream,
                        void** params, void** extra) {
  const Shape shape = {
      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared};
  return Launch(function, shape, stream, params, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function,
                          void** params, void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Shape shape = {
      {config->gridDimX, config->gridDimY, config->gridDimZ},
      {config->blockDimX, config->blockDimY, config->blockDimZ},
      config->sharedMemBytes};
  return Launch(function, shape, config->hStream, params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x,
                                   unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared,
                                   CUstream stream, void** params) {
  return driver::cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x,
                                block_y, block_z, shared, stream, params,
                                nullptr);
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = KernelName(function);
  return *name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncGetModule(CUmodule* out, CUfunction function) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsLive(function)) return CUDA_ERROR_INVALID_HANDLE;
  *out = function->module;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute, int) {
  return IsLive(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace simgpu::driver
