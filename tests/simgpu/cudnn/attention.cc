// SPDX-License-Identifier: Apache-2.0
// Multi-head attention of the legacy API.
#include <algorithm>

#include "cudnn/descriptors.h"
#include "cudnn/handle.h"
#include "cudnn/report.h"

namespace simgpu::cudnn {
namespace {

size_t WorkspaceBytes(const cudnnAttnStruct& attention) {
  size_t bytes = BytesOf(attention.type);
  for (const int bound : attention.bounds) bytes *= static_cast<size_t>(bound);
  return bytes * static_cast<size_t>(attention.heads);
}

}  // namespace
}  // namespace simgpu::cudnn

using namespace simgpu::cudnn;

extern "C" {

cudnnStatus_t cudnnSetAttnDescriptor(
    cudnnAttnDescriptor_t a, unsigned mode, int heads, double scale,
    cudnnDataType_t type, cudnnDataType_t math_type, cudnnMathType_t math,
    cudnnDropoutDescriptor_t dropout, cudnnDropoutDescriptor_t after, int q,
    int k, int v, int q_projected, int k_projected, int v_projected,
    int o_projected, int longest_qo, int longest_kv, int batch, int beam) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !a || heads < 1 || q < 1 || k < 1 || v < 1,
                      CUDNN_STATUS_BAD_PARAM);
  *a = {mode,
        heads,
        scale,
        type,
        math_type,
        math,
        dropout,
        after,
        {q, k, v, q_projected, k_projected, v_projected, o_projected},
        {longest_qo, longest_kv, batch, beam}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetAttnDescriptor(
    cudnnAttnDescriptor_t a, unsigned* mode, int* heads, double* scale,
    cudnnDataType_t* type, cudnnDataType_t* math_type, cudnnMathType_t* math,
    cudnnDropoutDescriptor_t* dropout, cudnnDropoutDescriptor_t* after, int* q,
    int* k, int* v, int* q_projected, int* k_projected, int* v_projected,
    int* o_projected, int* longest_qo, int* longest_kv, int* batch, int* beam) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !a, CUDNN_STATUS_BAD_PARAM);
  *mode = a->mode;
  *heads = a->heads;
  *scale = a->scale;
  *type = a->type;
  *math_type = a->math_type;
  *math = a->math;
  *dropout = a->dropout;
  *after = a->after;
  int* const sizes[] = {q,           k,           v,          q_projected,
                        k_projected, v_projected, o_projected};
  for (int i = 0; i < 7; ++i) *sizes[i] = a->sizes[i];
  int* const bounds[] = {longest_qo, longest_kv, batch, beam};
  for (int i = 0; i < 4; ++i) *bounds[i] = a->bounds[i];
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetSeqDataDescriptor(cudnnSeqDataDescriptor_t data,
                                        cudnnDataType_t type, int count,
                                        const int dims[],
                                        const cudnnSeqDataAxis_t axes[],
                                        size_t lengths, const int[], void*) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !data || count != CUDNN_SEQDATA_DIM_COUNT,
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, !AllPositive(dims, count), CUDNN_STATUS_BAD_PARAM);
  data->type = type;
  data->lengths = lengths;
  std::copy(dims, dims + count, data->dims);
  std::copy(axes, axes + count, data->axes);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetSeqDataDescriptor(const cudnnSeqDataDescriptor_t data,
                                        cudnnDataType_t* type, int* count,
                                        int asked, int dims[],
                                        cudnnSeqDataAxis_t axes[],
                                        size_t* lengths, size_t, int values[],
                                        void* padding) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, !data || !values || !padding,
                      CUDNN_STATUS_BAD_PARAM);
  *type = data->type;
  *count = CUDNN_SEQDATA_DIM_COUNT;
  *lengths = data->lengths;
  const int given = std::min(asked, *count);
  std::copy(data->dims, data->dims + given, dims);
  std::copy(data->axes, data->axes + given, axes);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetMultiHeadAttnBuffers(cudnnHandle_t handle,
                                           const cudnnAttnDescriptor_t a,
                                           size_t* weights, size_t* workspace,
                                           size_t* reserve) {
  const Call call(__func__, handle);
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  SIMGPU_CUDNN_REFUSE(call, !a || a->heads < 1, CUDNN_STATUS_BAD_PARAM);
  *weights = 4096;
  *workspace = WorkspaceBytes(*a);
  if (reserve != nullptr) *reserve = 0;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnMultiHeadAttnForward(
    cudnnHandle_t handle, const cudnnAttnDescriptor_t a, int, const int[],
    const int[], const int[], const int[], const cudnnSeqDataDescriptor_t q,
    const void* queries, const void*, const cudnnSeqDataDescriptor_t k,
    const void* keys, const cudnnSeqDataDescriptor_t v, const void* values,
    const cudnnSeqDataDescriptor_t o, void* out, size_t, const void*,
    size_t workspace_bytes, void* workspace, size_t, void*) {
  const Call call(__func__, handle);
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  SIMGPU_CUDNN_REFUSE(call, !a || !q || !k || !v || !o, CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, workspace_bytes < WorkspaceBytes(*a),
                      CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT);
  return Execute(call, handle, {queries, keys, values, out, workspace});
}

}  // extern "C"
