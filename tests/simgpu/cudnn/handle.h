// SPDX-License-Identifier: Apache-2.0
// The cuDNN handle: a stream and the device memory the library keeps for
// itself, taken from the driver as any other memory and therefore refused when
// the card is full.
//
// Used by cudnn/. Handles are pointers; a null one is a bad parameter.
#pragma once

#include <cuda.h>
#include <cudnn.h>

#include <initializer_list>

struct cudnnContext {
  cudaStream_t stream = nullptr;
  CUdeviceptr persistent = 0;
  CUdeviceptr constant = 0;
  CUfunction kernel = nullptr;
  CUmodule module = nullptr;
};

namespace simgpu::cudnn {

class Call;

// Launches work that touches the given device pointers (at most six): the
// driver checks them as it does for any kernel.
cudnnStatus_t Execute(const Call& call, cudnnHandle_t handle,
                      std::initializer_list<const void*> pointers);

}  // namespace simgpu::cudnn
