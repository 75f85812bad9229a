// SPDX-License-Identifier: Apache-2.0
#include "cudnn/descriptors.h"

#include <algorithm>

#include "cudnn/report.h"

namespace simgpu::cudnn {

size_t BytesOf(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_DOUBLE:
    case CUDNN_DATA_INT64:
      return 8;
    case CUDNN_DATA_FLOAT:
    case CUDNN_DATA_INT32:
      return 4;
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_BFLOAT16:
      return 2;
    case CUDNN_DATA_INT8:
    case CUDNN_DATA_UINT8:
    case CUDNN_DATA_BOOLEAN:
    case CUDNN_DATA_FP8_E4M3:
    case CUDNN_DATA_FP8_E5M2:
      return 1;
    default:
      return static_cast<int>(type) >= 0 && static_cast<int>(type) < 20 ? 4 : 0;
  }
}

// The span of a strided tensor: the last element's offset plus one.
size_t BytesOf(const cudnnTensorStruct& tensor) {
  size_t last = 0;
  for (int i = 0; i < tensor.count; ++i) {
    last += static_cast<size_t>(tensor.dims[i] - 1) *
            static_cast<size_t>(tensor.strides[i]);
  }
  return (last + 1) * BytesOf(tensor.type);
}

size_t BytesOf(const cudnnFilterStruct& filter) {
  size_t elements = 1;
  for (int i = 0; i < filter.count; ++i) {
    elements *= static_cast<size_t>(filter.dims[i]);
  }
  return elements * BytesOf(filter.type);
}

int OutputSize(int input, int pad, int window, int dilation, int stride) {
  return 1 + (input + 2 * pad - ((window - 1) * dilation + 1)) / stride;
}

bool SameShape(const cudnnTensorStruct& a, const cudnnTensorStruct& b) {
  return a.count == b.count && std::equal(a.dims, a.dims + a.count, b.dims);
}

bool AllPositive(const int* values, int count) {
  return std::all_of(values, values + count, [](int v) { return v > 0; });
}

namespace {

template <class Struct>
cudnnStatus_t Create(const Call& call, Struct** out) {
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  SIMGPU_CUDNN_REFUSE(call, out == nullptr,
                      CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
  *out = new Struct;
  return CUDNN_STATUS_SUCCESS;
}

template <class Struct>
cudnnStatus_t Destroy(const Call& call, Struct* object) {
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  delete object;  // null is not an error, as in the real library
  return CUDNN_STATUS_SUCCESS;
}

void PackedStrides(cudnnTensorFormat_t format, cudnnTensorStruct* tensor) {
  int stride = 1;
  if (format == CUDNN_TENSOR_NHWC) {  // channels are innermost
    tensor->strides[1] = 1;
    stride = tensor->dims[1];
  }
  for (int i = tensor->count - 1; i >= 0; --i) {
    if (format == CUDNN_TENSOR_NHWC && i == 1) continue;
    tensor->strides[i] = stride;
    stride *= tensor->dims[i];
  }
}

}  // namespace
}  // namespace simgpu::cudnn

using simgpu::cudnn::AllPositive;
using simgpu::cudnn::BytesOf;
using simgpu::cudnn::Call;

#define SIMGPU_CUDNN_DESCRIPTOR(Name)                      \
  extern "C" cudnnStatus_t cudnnCreate##Name##Descriptor(  \
      cudnn##Name##Descriptor_t* out) {                    \
    return simgpu::cudnn::Create(Call(__func__), out);     \
  }                                                        \
  extern "C" cudnnStatus_t cudnnDestroy##Name##Descriptor( \
      cudnn##Name##Descriptor_t object) {                  \
    return simgpu::cudnn::Destroy(Call(__func__), object); \
  }

// Written out for the generator, which looks for definitions by name:
// cudnnCreateTensorDescriptor() cudnnDestroyTensorDescriptor()
// cudnnCreateFilterDescriptor() cudnnDestroyFilterDescriptor()
// cudnnCreateConvolutionDescriptor() cudnnDestroyConvolutionDescriptor()
// cudnnCreatePoolingDescriptor() cudnnDestroyPoolingDescriptor()
// cudnnCreateActivationDescriptor() cudnnDestroyActivationDescriptor()
// cudnnCreateOpTensorDescriptor() cudnnDestroyOpTensorDescriptor()
// cudnnCreateDropoutDescriptor() cudnnDestroyDropoutDescriptor()
// cudnnCreateRNNDescriptor() cudnnDestroyRNNDescriptor()
// cudnnCreateRNNDataDescriptor() cudnnDestroyRNNDataDescriptor()
// cudnnCreateAttnDescriptor() cudnnDestroyAttnDescriptor()
// cudnnCreateSeqDataDescriptor() cudnnDestroySeqDataDescriptor()
SIMGPU_CUDNN_DESCRIPTOR(Tensor)
SIMGPU_CUDNN_DESCRIPTOR(Filter)
SIMGPU_CUDNN_DESCRIPTOR(Convolution)
SIMGPU_CUDNN_DESCRIPTOR(Pooling)
SIMGPU_CUDNN_DESCRIPTOR(Activation)
SIMGPU_CUDNN_DESCRIPTOR(OpTensor)
SIMGPU_CUDNN_DESCRIPTOR(Dropout)
SIMGPU_CUDNN_DESCRIPTOR(RNN)
SIMGPU_CUDNN_DESCRIPTOR(RNNData)
SIMGPU_CUDNN_DESCRIPTOR(Attn)
SIMGPU_CUDNN_DESCRIPTOR(SeqData)

extern "C" {

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor,
                                         cudnnDataType_t type, int count,
                                         const int dims[],
                                         const int strides[]) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !tensor || !dims || !strides,
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, BytesOf(type) == 0, CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, count < 3 || count > CUDNN_DIM_MAX,
                      CUDNN_STATUS_NOT_SUPPORTED);
  SIMGPU_CUDNN_REFUSE(call,
                      !AllPositive(dims, count) || !AllPositive(strides, count),
                      CUDNN_STATUS_BAD_PARAM);
  tensor->type = type;
  tensor->count = count;
  std::copy(dims, dims + count, tensor->dims);
  std::copy(strides, strides + count, tensor->strides);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t tensor,
                                           cudnnTensorFormat_t format,
                                           cudnnDataType_t type, int count,
                                           const int dims[]) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !tensor || !dims, CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, count < 3 || count > CUDNN_DIM_MAX,
                      CUDNN_STATUS_NOT_SUPPORTED);
  SIMGPU_CUDNN_REFUSE(call, !AllPositive(dims, count) || BytesOf(type) == 0,
                      CUDNN_STATUS_BAD_PARAM);
  tensor->type = type;
  tensor->count = count;
  std::copy(dims, dims + count, tensor->dims);
  simgpu::cudnn::PackedStrides(format, tensor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor,
                                         cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c,
                                         int h, int w) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !tensor, CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, (n <= 0) || (c <= 0) || (h <= 0) || (w <= 0),
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, BytesOf(type) == 0, CUDNN_STATUS_BAD_PARAM);
  *tensor = {type, 4, {n, c, h, w}, {}};
  simgpu::cudnn::PackedStrides(format, tensor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t tensor,
                                           cudnnDataType_t type, int n, int c,
                                           int h, int w, int n_stride,
                                           int c_stride, int h_stride,
                                           int w_stride) {
  const int dims[] = {n, c, h, w};
  const int strides[] = {n_stride, c_stride, h_stride, w_stride};
  return cudnnSetTensorNdDescriptor(tensor, type, 4, dims, strides);
}

cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t tensor,
                                         int asked, cudnnDataType_t* type,
                                         int* count, int dims[],
                                         int strides[]) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !tensor || asked <= 0, CUDNN_STATUS_BAD_PARAM);
  const int given = std::min(asked, tensor->count);
  if (type) *type = tensor->type;
  if (count) *count = tensor->count;
  if (dims) std::copy(tensor->dims, tensor->dims + given, dims);
  if (strides) std::copy(tensor->strides, tensor->strides + given, strides);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetTensor4dDescriptor(const cudnnTensorDescriptor_t tensor,
                                         cudnnDataType_t* type, int* n, int* c,
                                         int* h, int* w, int* n_stride,
                                         int* c_stride, int* h_stride,
                                         int* w_stride) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !tensor || tensor->count != 4,
                      CUDNN_STATUS_BAD_PARAM);
  int* const dims[] = {n, c, h, w};
  int* const strides[] = {n_stride, c_stride, h_stride, w_stride};
  if (type) *type = tensor->type;
  for (int i = 0; i < 4; ++i) {
    if (dims[i]) *dims[i] = tensor->dims[i];
    if (strides[i]) *strides[i] = tensor->strides[i];
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetTensorSizeInBytes(const cudnnTensorDescriptor_t tensor,
                                        size_t* size) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !tensor || !size, CUDNN_STATUS_BAD_PARAM);
  *size = tensor->count == 0 ? 0 : BytesOf(*tensor);
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
