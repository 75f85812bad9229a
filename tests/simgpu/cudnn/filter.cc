// SPDX-License-Identifier: Apache-2.0
// Filter descriptors.
#include <algorithm>

#include "cudnn/descriptors.h"
#include "cudnn/report.h"

using simgpu::cudnn::AllPositive;
using simgpu::cudnn::BytesOf;

extern "C" {

cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t filter,
                                         cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int count,
                                         const int dims[]) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !filter || !dims, CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, count < 3 || count > CUDNN_DIM_MAX,
                      CUDNN_STATUS_NOT_SUPPORTED);
  SIMGPU_CUDNN_REFUSE(call, !AllPositive(dims, count) || BytesOf(type) == 0,
                      CUDNN_STATUS_BAD_PARAM);
  filter->type = type;
  filter->format = format;
  filter->count = count;
  std::copy(dims, dims + count, filter->dims);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter,
                                         cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k,
                                         int c, int h, int w) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !filter, CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, (k <= 0) || (c <= 0) || (h <= 0) || (w <= 0),
                      CUDNN_STATUS_BAD_PARAM);
  *filter = {type, format, 4, {k, c, h, w}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetFilter4dDescriptor(const cudnnFilterDescriptor_t filter,
                                         cudnnDataType_t* type,
                                         cudnnTensorFormat_t* format, int* k,
                                         int* c, int* h, int* w) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !filter || filter->count != 4,
                      CUDNN_STATUS_BAD_PARAM);
  int* const dims[] = {k, c, h, w};
  if (type) *type = filter->type;
  if (format) *format = filter->format;
  for (int i = 0; i < 4; ++i) {
    if (dims[i]) *dims[i] = filter->dims[i];
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetFilterNdDescriptor(const cudnnFilterDescriptor_t filter,
                                         int asked, cudnnDataType_t* type,
                                         cudnnTensorFormat_t* format,
                                         int* count, int dims[]) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !filter || asked <= 0, CUDNN_STATUS_BAD_PARAM);
  const int given = std::min(asked, filter->count);
  if (type) *type = filter->type;
  if (format) *format = filter->format;
  if (count) *count = filter->count;
  if (dims) std::copy(filter->dims, filter->dims + given, dims);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetFilterSizeInBytes(const cudnnFilterDescriptor_t filter,
                                        size_t* size) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !filter || !size, CUDNN_STATUS_BAD_PARAM);
  *size = filter->count == 0 ? 0 : BytesOf(*filter);
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
