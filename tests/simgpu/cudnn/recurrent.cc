// SPDX-License-Identifier: Apache-2.0
// Recurrent layers.
#include "cudnn/descriptors.h"
#include "cudnn/handle.h"
#include "cudnn/report.h"

namespace simgpu::cudnn {
namespace {

bool IsSet(const cudnnRNNDataStruct* data) {
  return data != nullptr && data->longest > 0;
}

size_t WorkspaceBytes(const cudnnRNNStruct& rnn,
                      const cudnnRNNDataStruct& data) {
  const size_t states = static_cast<size_t>(data.longest) *
                        static_cast<size_t>(data.batch) *
                        static_cast<size_t>(rnn.hidden);
  return states * static_cast<size_t>(rnn.layers) * BytesOf(rnn.type);
}

cudnnStatus_t Run(const Call& call, cudnnHandle_t handle,
                  const cudnnRNNStruct* rnn, const cudnnRNNDataStruct* x,
                  size_t workspace_bytes,
                  std::initializer_list<const void*> pointers) {
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  SIMGPU_CUDNN_REFUSE(call, !rnn || rnn->layers < 1 || !IsSet(x),
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, workspace_bytes < WorkspaceBytes(*rnn, *x),
                      CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT);
  return Execute(call, handle, pointers);
}

}  // namespace
}  // namespace simgpu::cudnn

using namespace simgpu::cudnn;

extern "C" {

cudnnStatus_t cudnnSetRNNDescriptor_v8(
    cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t algorithm, cudnnRNNMode_t cell,
    cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
    cudnnRNNInputMode_t input_mode, cudnnDataType_t type,
    cudnnDataType_t math_type, cudnnMathType_t math, int32_t input,
    int32_t hidden, int32_t projection, int32_t layers,
    cudnnDropoutDescriptor_t dropout, uint32_t flags) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !rnn || input < 1 || hidden < 1 || layers < 1,
                      CUDNN_STATUS_BAD_PARAM);
  *rnn = {algorithm, cell,  bias,   direction,  input_mode, type,    math_type,
          math,      input, hidden, projection, layers,     dropout, flags};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNDescriptor_v8(
    cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t* algorithm, cudnnRNNMode_t* cell,
    cudnnRNNBiasMode_t* bias, cudnnDirectionMode_t* direction,
    cudnnRNNInputMode_t* input_mode, cudnnDataType_t* type,
    cudnnDataType_t* math_type, cudnnMathType_t* math, int32_t* input,
    int32_t* hidden, int32_t* projection, int32_t* layers,
    cudnnDropoutDescriptor_t* dropout, uint32_t* flags) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !rnn, CUDNN_STATUS_BAD_PARAM);
  *algorithm = rnn->algorithm;
  *cell = rnn->cell;
  *bias = rnn->bias;
  *direction = rnn->direction;
  *input_mode = rnn->input_mode;
  *type = rnn->type;
  *math_type = rnn->math_type;
  *math = rnn->math;
  *input = rnn->input;
  *hidden = rnn->hidden;
  *projection = rnn->projection;
  *layers = rnn->layers;
  *dropout = rnn->dropout;
  *flags = rnn->flags;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t data,
                                        cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout,
                                        int longest, int batch, int vector,
                                        const int lengths[], void*) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(
      call, !data || !lengths || longest < 1 || batch < 1 || vector < 1,
      CUDNN_STATUS_BAD_PARAM);
  *data = {type, layout, longest, batch, vector};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t data,
                                        cudnnDataType_t* type,
                                        cudnnRNNDataLayout_t* layout,
                                        int* longest, int* batch, int* vector,
                                        int, int lengths[], void* padding) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !data || !lengths || !padding,
                      CUDNN_STATUS_BAD_PARAM);
  *type = data->type;
  *layout = data->layout;
  *longest = data->longest;
  *batch = data->batch;
  *vector = data->vector;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle,
                                        cudnnRNNDescriptor_t rnn,
                                        cudnnForwardMode_t mode,
                                        cudnnRNNDataDescriptor_t x,
                                        size_t* workspace, size_t* reserve) {
  const Call call(__func__, handle);
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  SIMGPU_CUDNN_REFUSE(call, !rnn || !IsSet(x), CUDNN_STATUS_BAD_PARAM);
  *workspace = WorkspaceBytes(*rnn, *x);
  *reserve = mode == CUDNN_FWD_MODE_TRAINING ? *workspace : 0;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                              cudnnForwardMode_t, const int32_t[],
                              cudnnRNNDataDescriptor_t x_desc, const void* x,
                              cudnnRNNDataDescriptor_t, void* y,
                              cudnnTensorDescriptor_t, const void*, void*,
                              cudnnTensorDescriptor_t, const void*, void*,
                              size_t, const void* weights,
                              size_t workspace_bytes, void* workspace, size_t,
                              void*) {
  return Run(Call(__func__, handle), handle, rnn, x_desc, workspace_bytes,
             {x, y, weights, workspace});
}

}  // extern "C"
