// SPDX-License-Identifier: Apache-2.0
// One call of each kind of layer of cuDNN's legacy API on the simulated GPU:
// batch normalisation, pooling, softmax, activation, an RNN and multi-head
// attention, the latter two after asking for their workspaces. `again`: the
// activation once more, on descriptors that were changed in between, and on new
// ones in the place of old.
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "checked_calls.h"

namespace {

cudnnHandle_t g_handle;
void* g_data;
const float kOne = 1, kZero = 0;

cudnnTensorDescriptor_t Tensor(int n, int c, int h, int w) {
  cudnnTensorDescriptor_t tensor;
  Check(cudnnCreateTensorDescriptor(&tensor), "tensor");
  Check(cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NHWC, CUDNN_DATA_HALF,
                                   n, c, h, w),
        "tensor");
  return tensor;
}

void Norm() {
  const auto x = Tensor(8, 64, 56, 56), y = Tensor(8, 64, 56, 56);
  cudnnTensorDescriptor_t scale;
  cudnnCreateTensorDescriptor(&scale);
  Check(cudnnDeriveBNTensorDescriptor(scale, x, CUDNN_BATCHNORM_SPATIAL),
        "derive");
  Check(cudnnBatchNormalizationForwardTraining(
            g_handle, CUDNN_BATCHNORM_SPATIAL, &kOne, &kZero, x, g_data, y,
            g_data, scale, g_data, g_data, 0.1, g_data, g_data, 1e-5, g_data,
            g_data),
        "batch norm");
}

void Pool() {
  const auto x = Tensor(8, 64, 56, 56), y = Tensor(8, 64, 28, 28);
  cudnnPoolingDescriptor_t pool;
  cudnnCreatePoolingDescriptor(&pool);
  Check(cudnnSetPooling2dDescriptor(pool, CUDNN_POOLING_MAX,
                                    CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2),
        "pool");
  Check(
      cudnnPoolingForward(g_handle, pool, &kOne, x, g_data, &kZero, y, g_data),
      "pool");
}

void Softmax() {
  const auto x = Tensor(8, 1000, 1, 1), y = Tensor(8, 1000, 1, 1);
  Check(cudnnSoftmaxForward(g_handle, CUDNN_SOFTMAX_LOG,
                            CUDNN_SOFTMAX_MODE_CHANNEL, &kOne, x, g_data,
                            &kZero, y, g_data),
        "softmax");
}

void Activate(cudnnActivationDescriptor_t activation,
              cudnnTensorDescriptor_t x) {
  Check(cudnnActivationForward(g_handle, activation, &kOne, x, g_data, &kZero,
                               x, g_data),
        "activation");
}

void Activation(bool again) {
  cudnnActivationDescriptor_t activation;
  cudnnCreateActivationDescriptor(&activation);
  cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_RELU,
                               CUDNN_NOT_PROPAGATE_NAN, 0);
  auto x = Tensor(8, 64, 56, 56);
  Activate(activation, x);
  if (!again) return;
  for (int i = 0; i < 3; ++i) Activate(activation, x);
  cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_TANH,
                               CUDNN_NOT_PROPAGATE_NAN, 0);
  Activate(activation, x);
  cudnnDestroyTensorDescriptor(x);
  x = Tensor(4, 64, 56, 56);
  Activate(activation, x);
}

cudnnRNNDataDescriptor_t Sequence(int vector) {
  const int lengths[] = {20, 10};
  cudnnRNNDataDescriptor_t data;
  cudnnCreateRNNDataDescriptor(&data);
  Check(cudnnSetRNNDataDescriptor(data, CUDNN_DATA_HALF,
                                  CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 20,
                                  2, vector, lengths, nullptr),
        "rnn data");
  return data;
}

void Rnn() {
  cudnnRNNDescriptor_t rnn;
  cudnnCreateRNNDescriptor(&rnn);
  Check(cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM,
                                 CUDNN_RNN_DOUBLE_BIAS, CUDNN_BIDIRECTIONAL,
                                 CUDNN_LINEAR_INPUT, CUDNN_DATA_HALF,
                                 CUDNN_DATA_FLOAT, CUDNN_TENSOR_OP_MATH, 64,
                                 128, 128, 2, nullptr, 0),
        "rnn");
  const auto x = Sequence(64), y = Sequence(256);
  size_t workspace = 0, reserve = 0;
  Check(cudnnGetRNNTempSpaceSizes(g_handle, rnn, CUDNN_FWD_MODE_TRAINING, x,
                                  &workspace, &reserve),
        "rnn sizes");
  Check(cudnnRNNForward(g_handle, rnn, CUDNN_FWD_MODE_TRAINING, nullptr, x,
                        g_data, y, g_data, nullptr, nullptr, nullptr, nullptr,
                        nullptr, nullptr, 4096, g_data, 2 * workspace, g_data,
                        reserve, g_data),
        "rnn forward");
}

cudnnSeqDataDescriptor_t Words() {
  const int dims[] = {128, 16, 1, 512}, lengths[16] = {};
  const cudnnSeqDataAxis_t axes[] = {
      CUDNN_SEQDATA_TIME_DIM, CUDNN_SEQDATA_BATCH_DIM, CUDNN_SEQDATA_BEAM_DIM,
      CUDNN_SEQDATA_VECT_DIM};
  cudnnSeqDataDescriptor_t data;
  cudnnCreateSeqDataDescriptor(&data);
  Check(cudnnSetSeqDataDescriptor(data, CUDNN_DATA_HALF, 4, dims, axes, 16,
                                  lengths, nullptr),
        "sequence");
  return data;
}

void Attention() {
  cudnnAttnDescriptor_t attention;
  cudnnCreateAttnDescriptor(&attention);
  Check(cudnnSetAttnDescriptor(attention, CUDNN_ATTN_QUERYMAP_ALL_TO_ONE, 8, 1,
                               CUDNN_DATA_HALF, CUDNN_DATA_FLOAT,
                               CUDNN_TENSOR_OP_MATH, nullptr, nullptr, 512, 512,
                               512, 64, 64, 64, 512, 128, 128, 16, 1),
        "attention");
  size_t weights = 0, workspace = 0, reserve = 0;
  Check(cudnnGetMultiHeadAttnBuffers(g_handle, attention, &weights, &workspace,
                                     &reserve),
        "buffers");
  const auto q = Words(), k = Words();
  Check(cudnnMultiHeadAttnForward(g_handle, attention, 0, nullptr, nullptr,
                                  nullptr, nullptr, q, g_data, nullptr, k,
                                  g_data, k, g_data, q, g_data, weights, g_data,
                                  workspace, g_data, reserve, g_data),
        "attention forward");
}

}  // namespace

int main(int argc, char** argv) {
  const bool again = argc > 1 && std::string(argv[1]) == "again";
  Check(cudaMalloc(&g_data, 1 << 20), "cudaMalloc");
  Check(cudnnCreate(&g_handle), "cudnnCreate");
  Activation(again);
  if (again) return 0;
  Norm();
  Pool();
  Softmax();
  Rnn();
  Attention();
  return 0;
}
