// SPDX-License-Identifier: Apache-2.0
// How a cuDNN function reports failure: the status, the thread's last error
// text, and the message to the callback of cudnnSetCallback in the real
// library's form (measured on 9.19: several zero-terminated lines).
//
// Used by all of cudnn/. One Call object at the top of each function also
// counts for fault injection. Any thread.
#pragma once

#include <cudnn.h>

namespace simgpu::cudnn {

class Call {
 public:
  explicit Call(const char* function, cudnnHandle_t handle = nullptr);

  // The status that SIMGPU_FAULT wants here, or success.
  cudnnStatus_t injected() const { return injected_; }
  // Reports and returns `status`.
  cudnnStatus_t Fail(cudnnStatus_t status, const char* reason) const;

 private:
  const char* function_;
  cudnnHandle_t handle_;
  cudnnStatus_t injected_ = CUDNN_STATUS_SUCCESS;
};

// The name of a status as cudnnGetErrorString gives it.
const char* StatusName(cudnnStatus_t status);

}  // namespace simgpu::cudnn

// Returns from a cuDNN function if the condition holds: its arguments are
// wrong.
#define SIMGPU_CUDNN_REFUSE(call, condition, status)       \
  do {                                                     \
    if (condition) return (call).Fail(status, #condition); \
  } while (0)

// The start of every function that needs no handle.
#define SIMGPU_CUDNN_CALL(call)             \
  const simgpu::cudnn::Call call(__func__); \
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected()
