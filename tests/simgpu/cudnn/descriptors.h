// SPDX-License-Identifier: Apache-2.0
// The descriptors behind cuDNN's opaque handles: shapes and modes, checked when
// they are set as the real library checks them.
//
// Used by the operations. Sizes in elements unless named bytes. Not
// thread-safe, as in the real library.
#pragma once

#include <cudnn.h>

#include <cstddef>

struct cudnnTensorStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int count = 0;  // of dimensions, 0 until set
  int dims[CUDNN_DIM_MAX] = {};
  int strides[CUDNN_DIM_MAX] = {};
};

struct cudnnFilterStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
  int count = 0;
  int dims[CUDNN_DIM_MAX] = {};
};

struct cudnnConvolutionStruct {
  int count = 0;  // of spatial dimensions, 0 until set
  int pad[CUDNN_DIM_MAX] = {};
  int stride[CUDNN_DIM_MAX] = {};
  int dilation[CUDNN_DIM_MAX] = {};
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  int groups = 1;
};

struct cudnnPoolingStruct {
  cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  int count = 0;
  int window[CUDNN_DIM_MAX] = {};
  int pad[CUDNN_DIM_MAX] = {};
  int stride[CUDNN_DIM_MAX] = {};
};

struct cudnnActivationStruct {
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_RELU;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  double coefficient = 0;
};

struct cudnnOpTensorStruct {
  cudnnOpTensorOp_t operation = CUDNN_OP_TENSOR_ADD;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
};

struct cudnnDropoutStruct {
  float rate = 0;
  void* states = nullptr;
  unsigned long long seed = 0;
};

struct cudnnRNNStruct {
  cudnnRNNAlgo_t algorithm = CUDNN_RNN_ALGO_STANDARD;
  cudnnRNNMode_t cell = CUDNN_LSTM;
  cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
  cudnnDirectionMode_t direction = CUDNN_UNIDIRECTIONAL;
  cudnnRNNInputMode_t input_mode = CUDNN_LINEAR_INPUT;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnDataType_t math_type = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  int input = 0, hidden = 0, projection = 0, layers = 0;
  cudnnDropoutDescriptor_t dropout = nullptr;
  unsigned flags = 0;
};

struct cudnnRNNDataStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
  int longest = 0, batch = 0, vector = 0;  // 0 until set
};

struct cudnnAttnStruct {
  unsigned mode = 0;
  int heads = 0;  // 0 until set
  double scale = 1;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnDataType_t math_type = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  cudnnDropoutDescriptor_t dropout = nullptr, after = nullptr;
  int sizes[7] = {};   // of q, k, v, their projections, that of o
  int bounds[4] = {};  // longest qo, longest kv, batch, beam
};

struct cudnnSeqDataStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int dims[CUDNN_SEQDATA_DIM_COUNT] = {};  // by axis
  cudnnSeqDataAxis_t axes[CUDNN_SEQDATA_DIM_COUNT] = {};
  size_t lengths = 0;
};

namespace simgpu::cudnn {

bool AllPositive(const int* values, int count);
size_t BytesOf(cudnnDataType_t type);  // 0 for a type that does not exist
size_t BytesOf(const cudnnTensorStruct& tensor);
size_t BytesOf(const cudnnFilterStruct& filter);

// The spatial size that a convolution or a pooling gives; may be < 1.
int OutputSize(int input, int pad, int window, int dilation, int stride);

inline bool IsSet(const cudnnTensorStruct* tensor) {
  return tensor != nullptr && tensor->count > 0;
}
inline bool IsSet(const cudnnFilterStruct* filter) {
  return filter != nullptr && filter->count > 0;
}
bool SameShape(const cudnnTensorStruct& a, const cudnnTensorStruct& b);

}  // namespace simgpu::cudnn
