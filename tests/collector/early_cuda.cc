// SPDX-License-Identifier: Apache-2.0
// A library whose constructor uses CUDA, before that of a preloaded collector
// has run.
#include <cuda.h>

__attribute__((constructor)) static void UseCuda() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUdeviceptr block = 0;
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
      cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS) {
    return;
  }
  cuCtxSetCurrent(context);
  cuMemAlloc(&block, 1 << 20);
}

// Links the library to its host.
void EarlyCuda() {}
