// SPDX-License-Identifier: Apache-2.0
// Convolution descriptors.
#include <algorithm>

#include "cudnn/descriptors.h"
#include "cudnn/report.h"

using namespace simgpu::cudnn;

extern "C" {

cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t c,
                                              int count, const int pad[],
                                              const int stride[],
                                              const int dilation[],
                                              cudnnConvolutionMode_t mode,
                                              cudnnDataType_t type) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !c || !pad || !stride || !dilation,
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, count < 1 || count > CUDNN_DIM_MAX - 2,
                      CUDNN_STATUS_BAD_PARAM);
  for (int i = 0; i < count; ++i) {
    SIMGPU_CUDNN_REFUSE(call, pad[i] < 0 || stride[i] < 1 || dilation[i] < 1,
                        CUDNN_STATUS_BAD_PARAM);
  }
  std::copy(pad, pad + count, c->pad);
  std::copy(stride, stride + count, c->stride);
  std::copy(dilation, dilation + count, c->dilation);
  c->count = count;
  c->mode = mode;
  c->type = type;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t c,
                                              int pad_h, int pad_w,
                                              int stride_h, int stride_w,
                                              int dilation_h, int dilation_w,
                                              cudnnConvolutionMode_t mode,
                                              cudnnDataType_t type) {
  const int pad[] = {pad_h, pad_w};
  const int stride[] = {stride_h, stride_w};
  const int dilation[] = {dilation_h, dilation_w};
  return cudnnSetConvolutionNdDescriptor(c, 2, pad, stride, dilation, mode,
                                         type);
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t c,
                                          cudnnMathType_t math) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !c, CUDNN_STATUS_BAD_PARAM);
  c->math = math;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t c,
                                            int groups) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !c || groups < 1, CUDNN_STATUS_BAD_PARAM);
  c->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionNdDescriptor(
    const cudnnConvolutionDescriptor_t c, int asked, int* count, int pad[],
    int stride[], int dilation[], cudnnConvolutionMode_t* mode,
    cudnnDataType_t* type) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !c || asked < 0, CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, asked > CUDNN_DIM_MAX - 2,
                      CUDNN_STATUS_NOT_SUPPORTED);
  const int given = std::min(asked, c->count);
  if (count) *count = c->count;
  if (pad) std::copy(c->pad, c->pad + given, pad);
  if (stride) std::copy(c->stride, c->stride + given, stride);
  if (dilation) std::copy(c->dilation, c->dilation + given, dilation);
  if (mode) *mode = c->mode;
  if (type) *type = c->type;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t c,
                                            int* groups) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !c || !groups, CUDNN_STATUS_BAD_PARAM);
  *groups = c->groups;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(
    const cudnnConvolutionDescriptor_t c, const cudnnTensorDescriptor_t x,
    const cudnnFilterDescriptor_t w, int* n, int* k, int* height, int* width) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !c || !IsSet(x) || !IsSet(w) || c->count != 2,
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, !n || !k || !height || !width,
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, x->dims[1] != c->groups * w->dims[1],
                      CUDNN_STATUS_BAD_PARAM);
  *n = x->dims[0];
  *k = w->dims[0];
  *height = OutputSize(x->dims[2], c->pad[0], w->dims[2], c->dilation[0],
                       c->stride[0]);
  *width = OutputSize(x->dims[3], c->pad[1], w->dims[3], c->dilation[1],
                      c->stride[1]);
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
