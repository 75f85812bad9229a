// SPDX-License-Identifier: Apache-2.0
// Operations on two tensors of one shape and type, like most layers.
// Header-only, because each layer's file needs its own copy. Any thread.
#pragma once

#include <initializer_list>

#include "cudnn/descriptors.h"
#include "cudnn/handle.h"
#include "cudnn/report.h"

namespace simgpu::cudnn {

inline cudnnStatus_t Alike(const Call& call, cudnnHandle_t handle,
                           const cudnnTensorStruct* a,
                           const cudnnTensorStruct* b,
                           std::initializer_list<const void*> pointers) {
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  SIMGPU_CUDNN_REFUSE(call, !IsSet(a) || !IsSet(b), CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, !SameShape(*a, *b) || a->type != b->type,
                      CUDNN_STATUS_BAD_PARAM);
  return Execute(call, handle, pointers);
}

}  // namespace simgpu::cudnn
