// SPDX-License-Identifier: Apache-2.0
// Pooling and dropout.
#include <algorithm>

#include "cudnn/alike.h"
#include "cudnn/descriptors.h"
#include "cudnn/handle.h"
#include "cudnn/report.h"

using namespace simgpu::cudnn;

namespace {

constexpr size_t kDropoutStates = 2 << 20;

}  // namespace

extern "C" {

cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t p,
                                          cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t nan, int height,
                                          int width, int pad_h, int pad_w,
                                          int stride_h, int stride_w) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !p || height < 1 || width < 1,
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call,
                      pad_h < 0 || pad_w < 0 || stride_h < 1 || stride_w < 1,
                      CUDNN_STATUS_BAD_PARAM);
  *p = {mode, nan, 2, {height, width}, {pad_h, pad_w}, {stride_h, stride_w}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetPoolingNdDescriptor(const cudnnPoolingDescriptor_t p,
                                          int asked, cudnnPoolingMode_t* mode,
                                          cudnnNanPropagation_t* nan,
                                          int* count, int window[], int pad[],
                                          int stride[]) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !p || !mode || !nan || !count,
                      CUDNN_STATUS_BAD_PARAM);
  *mode = p->mode;
  *nan = p->nan;
  *count = p->count;
  for (int i = 0; i < std::min(asked, p->count); ++i) {
    window[i] = p->window[i];
    pad[i] = p->pad[i];
    stride[i] = p->stride[i];
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetPooling2dForwardOutputDim(
    const cudnnPoolingDescriptor_t p, const cudnnTensorDescriptor_t x, int* n,
    int* c, int* h, int* w) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !p || p->count != 2 || !IsSet(x) || x->count != 4,
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, !n || !c || !h || !w, CUDNN_STATUS_BAD_PARAM);
  *n = x->dims[0];
  *c = x->dims[1];
  *h = OutputSize(x->dims[2], p->pad[0], p->window[0], 1, p->stride[0]);
  *w = OutputSize(x->dims[3], p->pad[1], p->window[1], 1, p->stride[1]);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle,
                                  const cudnnPoolingDescriptor_t p, const void*,
                                  const cudnnTensorDescriptor_t x_desc,
                                  const void* x, const void*,
                                  const cudnnTensorDescriptor_t y_desc,
                                  void* y) {
  const Call call(__func__, handle);
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  SIMGPU_CUDNN_REFUSE(call, !p || !IsSet(x_desc) || !IsSet(y_desc),
                      CUDNN_STATUS_BAD_PARAM);
  return Execute(call, handle, {x, y});
}

cudnnStatus_t cudnnPoolingBackward(
    cudnnHandle_t handle, const cudnnPoolingDescriptor_t p, const void*,
    const cudnnTensorDescriptor_t, const void* y, const cudnnTensorDescriptor_t,
    const void* dy, const cudnnTensorDescriptor_t x_desc, const void* x,
    const void*, const cudnnTensorDescriptor_t dx_desc, void* dx) {
  const Call call(__func__, handle);
  SIMGPU_CUDNN_REFUSE(call, !p, CUDNN_STATUS_BAD_PARAM);
  return Alike(call, handle, x_desc, dx_desc, {y, dy, x, dx});
}

cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t handle, size_t* size) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !handle || !size, CUDNN_STATUS_BAD_PARAM);
  *size = kDropoutStates;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDropoutGetReserveSpaceSize(cudnnTensorDescriptor_t x,
                                              size_t* size) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !IsSet(x) || !size, CUDNN_STATUS_BAD_PARAM);
  *size = BytesOf(*x) / BytesOf(x->type) / 8 + 1;  // a bit an element
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t d,
                                        cudnnHandle_t handle, float rate,
                                        void* states, size_t bytes,
                                        unsigned long long seed) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !d || !handle || rate < 0 || rate > 1,
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, states != nullptr && bytes < kDropoutStates,
                      CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT);
  *d = {rate, states, seed};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDropoutForward(cudnnHandle_t handle,
                                  const cudnnDropoutDescriptor_t d,
                                  const cudnnTensorDescriptor_t x_desc,
                                  const void* x,
                                  const cudnnTensorDescriptor_t y_desc, void* y,
                                  void* reserve, size_t) {
  const Call call(__func__, handle);
  SIMGPU_CUDNN_REFUSE(call, !d, CUDNN_STATUS_BAD_PARAM);
  return Alike(call, handle, x_desc, y_desc, {x, y, reserve});
}

cudnnStatus_t cudnnDropoutBackward(cudnnHandle_t handle,
                                   const cudnnDropoutDescriptor_t d,
                                   const cudnnTensorDescriptor_t dy_desc,
                                   const void* dy,
                                   const cudnnTensorDescriptor_t dx_desc,
                                   void* dx, void* reserve, size_t) {
  const Call call(__func__, handle);
  SIMGPU_CUDNN_REFUSE(call, !d, CUDNN_STATUS_BAD_PARAM);
  return Alike(call, handle, dy_desc, dx_desc, {dy, dx, reserve});
}

}  // extern "C"
