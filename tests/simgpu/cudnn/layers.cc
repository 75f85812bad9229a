// SPDX-License-Identifier: Apache-2.0
// Batch normalisation, softmax, activation and elementwise tensor operations.
#include "cudnn/alike.h"
#include "cudnn/descriptors.h"
#include "cudnn/handle.h"
#include "cudnn/report.h"

namespace simgpu::cudnn {
namespace {

// `a` has the shape of `c`, or 1 where it is repeated.
bool Broadcasts(const cudnnTensorStruct& a, const cudnnTensorStruct& c) {
  if (a.count != c.count) return false;
  for (int i = 0; i < a.count; ++i) {
    if (a.dims[i] != c.dims[i] && a.dims[i] != 1) return false;
  }
  return true;
}

}  // namespace
}  // namespace simgpu::cudnn

using namespace simgpu::cudnn;

extern "C" {

cudnnStatus_t cudnnDeriveBNTensorDescriptor(cudnnTensorDescriptor_t derived,
                                            const cudnnTensorDescriptor_t x,
                                            cudnnBatchNormMode_t mode) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !derived || !IsSet(x), CUDNN_STATUS_BAD_PARAM);
  int dims[CUDNN_DIM_MAX];
  for (int i = 0; i < x->count; ++i) {
    const bool kept =
        i == 1 || (i > 1 && mode == CUDNN_BATCHNORM_PER_ACTIVATION);
    dims[i] = kept ? x->dims[i] : 1;
  }
  const cudnnDataType_t type =
      x->type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  return cudnnSetTensorNdDescriptorEx(derived, CUDNN_TENSOR_NCHW, type,
                                      x->count, dims);
}

cudnnStatus_t cudnnBatchNormalizationForwardTraining(
    cudnnHandle_t handle, cudnnBatchNormMode_t, const void*, const void*,
    const cudnnTensorDescriptor_t x_desc, const void* x,
    const cudnnTensorDescriptor_t y_desc, void* y,
    const cudnnTensorDescriptor_t parameters, const void* scale,
    const void* bias, double, void*, void*, double epsilon, void*, void*) {
  const Call call(__func__, handle);
  SIMGPU_CUDNN_REFUSE(call, !IsSet(parameters) || epsilon < 0,
                      CUDNN_STATUS_BAD_PARAM);
  return Alike(call, handle, x_desc, y_desc, {x, y, scale, bias});
}

cudnnStatus_t cudnnBatchNormalizationForwardInference(
    cudnnHandle_t handle, cudnnBatchNormMode_t, const void*, const void*,
    const cudnnTensorDescriptor_t x_desc, const void* x,
    const cudnnTensorDescriptor_t y_desc, void* y,
    const cudnnTensorDescriptor_t parameters, const void* scale,
    const void* bias, const void* mean, const void* variance, double) {
  const Call call(__func__, handle);
  SIMGPU_CUDNN_REFUSE(call, !IsSet(parameters), CUDNN_STATUS_BAD_PARAM);
  return Alike(call, handle, x_desc, y_desc,
               {x, y, scale, bias, mean, variance});
}

cudnnStatus_t cudnnBatchNormalizationBackward(
    cudnnHandle_t handle, cudnnBatchNormMode_t, const void*, const void*,
    const void*, const void*, const cudnnTensorDescriptor_t x_desc,
    const void* x, const cudnnTensorDescriptor_t, const void* dy,
    const cudnnTensorDescriptor_t dx_desc, void* dx,
    const cudnnTensorDescriptor_t parameters, const void* scale, void* d_scale,
    void* d_bias, double, const void*, const void*) {
  const Call call(__func__, handle);
  SIMGPU_CUDNN_REFUSE(call, !IsSet(parameters), CUDNN_STATUS_BAD_PARAM);
  return Alike(call, handle, x_desc, dx_desc,
               {x, dy, dx, scale, d_scale, d_bias});
}

cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t,
                                  cudnnSoftmaxMode_t, const void*,
                                  const cudnnTensorDescriptor_t x_desc,
                                  const void* x, const void*,
                                  const cudnnTensorDescriptor_t y_desc,
                                  void* y) {
  return Alike(Call(__func__, handle), handle, x_desc, y_desc, {x, y});
}

cudnnStatus_t cudnnSoftmaxBackward(
    cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t, cudnnSoftmaxMode_t,
    const void*, const cudnnTensorDescriptor_t y_desc, const void* y,
    const cudnnTensorDescriptor_t, const void* dy, const void*,
    const cudnnTensorDescriptor_t dx_desc, void* dx) {
  return Alike(Call(__func__, handle), handle, y_desc, dx_desc, {y, dy, dx});
}

cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t a,
                                           cudnnActivationMode_t mode,
                                           cudnnNanPropagation_t nan,
                                           double coefficient) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !a, CUDNN_STATUS_BAD_PARAM);
  *a = {mode, nan, coefficient};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetActivationDescriptor(const cudnnActivationDescriptor_t a,
                                           cudnnActivationMode_t* mode,
                                           cudnnNanPropagation_t* nan,
                                           double* coefficient) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !a || !mode || !nan || !coefficient,
                      CUDNN_STATUS_BAD_PARAM);
  *mode = a->mode;
  *nan = a->nan;
  *coefficient = a->coefficient;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnActivationForward(cudnnHandle_t handle,
                                     cudnnActivationDescriptor_t a, const void*,
                                     const cudnnTensorDescriptor_t x_desc,
                                     const void* x, const void*,
                                     const cudnnTensorDescriptor_t y_desc,
                                     void* y) {
  const Call call(__func__, handle);
  SIMGPU_CUDNN_REFUSE(call, !a, CUDNN_STATUS_BAD_PARAM);
  return Alike(call, handle, x_desc, y_desc, {x, y});
}

cudnnStatus_t cudnnActivationBackward(
    cudnnHandle_t handle, cudnnActivationDescriptor_t a, const void*,
    const cudnnTensorDescriptor_t y_desc, const void* y,
    const cudnnTensorDescriptor_t, const void* dy,
    const cudnnTensorDescriptor_t, const void* x, const void*,
    const cudnnTensorDescriptor_t dx_desc, void* dx) {
  const Call call(__func__, handle);
  SIMGPU_CUDNN_REFUSE(call, !a, CUDNN_STATUS_BAD_PARAM);
  return Alike(call, handle, y_desc, dx_desc, {y, dy, x, dx});
}

cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void*,
                             const cudnnTensorDescriptor_t a_desc,
                             const void* a, const void*,
                             const cudnnTensorDescriptor_t c_desc, void* c) {
  const Call call(__func__, handle);
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  SIMGPU_CUDNN_REFUSE(call, !IsSet(a_desc) || !IsSet(c_desc),
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, !Broadcasts(*a_desc, *c_desc),
                      CUDNN_STATUS_BAD_PARAM);
  return Execute(call, handle, {a, c});
}

cudnnStatus_t cudnnSetOpTensorDescriptor(cudnnOpTensorDescriptor_t o,
                                         cudnnOpTensorOp_t operation,
                                         cudnnDataType_t type,
                                         cudnnNanPropagation_t nan) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !o, CUDNN_STATUS_BAD_PARAM);
  *o = {operation, type, nan};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnOpTensor(cudnnHandle_t handle,
                            const cudnnOpTensorDescriptor_t o, const void*,
                            const cudnnTensorDescriptor_t a_desc, const void* a,
                            const void*, const cudnnTensorDescriptor_t b_desc,
                            const void* b, const void*,
                            const cudnnTensorDescriptor_t c_desc, void* c) {
  const Call call(__func__, handle);
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  SIMGPU_CUDNN_REFUSE(call,
                      !o || !IsSet(a_desc) || !IsSet(b_desc) || !IsSet(c_desc),
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(
      call, !SameShape(*a_desc, *c_desc) || !Broadcasts(*b_desc, *c_desc),
      CUDNN_STATUS_BAD_PARAM);
  return Execute(call, handle, {a, b, c});
}

}  // extern "C"
