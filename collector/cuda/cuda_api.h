// SPDX-License-Identifier: Apache-2.0
// The few functions of the CUDA driver and runtime that the collector calls
// itself, from the libraries that the host has loaded; null if it has none. All
// of them are called with InsideScope, so that the calls are not recorded.
#pragma once

#include <cuda.h>

namespace inquest::collector {

struct DriverApi {
  CUresult (*cuGetErrorName)(CUresult, const char**) = nullptr;
  CUresult (*cuGetErrorString)(CUresult, const char**) = nullptr;
  CUresult (*cuDriverGetVersion)(int*) = nullptr;
  CUresult (*cuDeviceGetCount)(int*) = nullptr;
  CUresult (*cuDeviceGet)(CUdevice*, int) = nullptr;
  CUresult (*cuDeviceGetName)(char*, int, CUdevice) = nullptr;
  CUresult (*cuDeviceTotalMem)(size_t*, CUdevice) = nullptr;
  CUresult (*cuDeviceGetAttribute)(int*, CUdevice_attribute,
                                   CUdevice) = nullptr;
  CUresult (*cuDeviceGetUuid)(CUuuid*, CUdevice) = nullptr;
  CUresult (*cuDeviceGetPCIBusId)(char*, int, CUdevice) = nullptr;
  CUresult (*cuCtxGetDevice)(CUdevice*) = nullptr;
  CUresult (*cuMemGetInfo)(size_t*, size_t*) = nullptr;
  CUresult (*cuMemGetAddressRange)(CUdeviceptr*, size_t*,
                                   CUdeviceptr) = nullptr;
};

// Looked up as soon as libcuda.so.1 is loaded; before that everything is null.
const DriverApi& Driver();
// 0 if no shared libcudart is loaded.
int RuntimeVersion();

// "CUDA_ERROR_OUT_OF_MEMORY", or the number as text.
const char* DriverErrorName(int64_t result);
const char* DriverErrorText(int64_t result);
// "cudaErrorMemoryAllocation"; the driver's name if libcudart is linked
// statically.
const char* RuntimeErrorName(int64_t result);
const char* RuntimeErrorText(int64_t result);

}  // namespace inquest::collector
