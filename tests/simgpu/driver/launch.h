// SPDX-License-Identifier: Apache-2.0
// Modules, their functions, and what a launch checks. A launch does no work: it
// verifies that every pointer parameter points to memory the device can access,
// and otherwise makes the context keep CUDA_ERROR_ILLEGAL_ADDRESS, which the
// next call reports, as an asynchronous fault does.
//
// Used by driver/module.cc, driver/launch.cc and the CUPTI symbol name. Any
// thread. The parameters of an image that is not PTX text are unknown and
// therefore never checked.
#pragma once

#include <cuda.h>

#include <map>
#include <memory>
#include <string>

#include "driver/objects.h"
#include "driver/ptx.h"

struct CUfunc_st {
  static constexpr uint32_t kMagic = 0x46554e31;
  uint32_t magic = kMagic;
  CUmodule module = nullptr;
  simgpu::driver::KernelEntry entry;
};

struct CUmod_st {
  static constexpr uint32_t kMagic = 0x4d4f4431;
  uint32_t magic = kMagic;
  uint32_t id = 0;
  CUcontext context = nullptr;
  uint64_t memory = 0;
  bool opaque = false;  // not PTX: any function name is accepted
  std::string image;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};

namespace simgpu::driver {

// The name of a kernel, null when the handle is not one.
const char* KernelName(CUfunction function);

CUresult LoadModule(CUmodule* out, const void* image);

}  // namespace simgpu::driver
