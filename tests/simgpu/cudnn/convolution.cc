// SPDX-License-Identifier: Apache-2.0
// Convolutions: algorithms, workspaces and the three directions.
#include <algorithm>

#include "cudnn/descriptors.h"
#include "cudnn/handle.h"
#include "cudnn/report.h"
#include "cudnn/version.h"

namespace simgpu::cudnn {
namespace {

// The parts of one convolution; y is the output in every direction.
struct Parts {
  const cudnnTensorStruct* x;
  const cudnnFilterStruct* w;
  const cudnnConvolutionStruct* c;
  const cudnnTensorStruct* y;
};

bool OutputMatches(const Parts& p) {
  if (p.y->dims[0] != p.x->dims[0] || p.y->dims[1] != p.w->dims[0])
    return false;
  for (int i = 0; i < p.c->count; ++i) {
    const int size = OutputSize(p.x->dims[i + 2], p.c->pad[i], p.w->dims[i + 2],
                                p.c->dilation[i], p.c->stride[i]);
    if (size < 1 || size != p.y->dims[i + 2]) return false;
  }
  return true;
}

cudnnStatus_t Check(const Call& call, cudnnHandle_t handle, const Parts& p) {
  SIMGPU_CUDNN_REFUSE(call, handle == nullptr, CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call,
                      !IsSet(p.x) || !IsSet(p.w) || !IsSet(p.y) ||
                          p.c == nullptr || p.c->count == 0,
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call,
                      p.x->count != p.w->count || p.x->count != p.c->count + 2,
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, p.x->dims[1] != p.w->dims[1] * p.c->groups,
                      CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
  SIMGPU_CUDNN_REFUSE(call, p.x->type != p.w->type, CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, !OutputMatches(p),
                      CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
  const char* reason = nullptr;
  const cudnnStatus_t agreed = CheckSubLibrary("cnn", &reason);
  return agreed == CUDNN_STATUS_SUCCESS ? agreed : call.Fail(agreed, reason);
}

// The unfolded input of one image: what explicit GEMM needs.
size_t UnfoldedBytes(const Parts& p) {
  size_t bytes = BytesOf(*p.w) / static_cast<size_t>(p.w->dims[0]);
  for (int i = 2; i < p.y->count; ++i) {
    bytes *= static_cast<size_t>(p.y->dims[i]);
  }
  return bytes;
}

constexpr size_t kNotPossible = ~size_t{0};

size_t ForwardBytes(const Parts& p, int algorithm) {
  const bool three = p.w->count == 4 && p.w->dims[2] == 3 && p.w->dims[3] == 3;
  switch (algorithm) {
    case CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM:
      return 0;
    case CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM:
      return BytesOf(*p.w) + 4096;
    case CUDNN_CONVOLUTION_FWD_ALGO_GEMM:
      return UnfoldedBytes(p);
    case CUDNN_CONVOLUTION_FWD_ALGO_FFT:
    case CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING:
      return 2 * (BytesOf(*p.x) + BytesOf(*p.y));
    case CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD:
      return three ? BytesOf(*p.w) : kNotPossible;
    case CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED:
      return three ? BytesOf(*p.x) + BytesOf(*p.y) : kNotPossible;
    default:
      return kNotPossible;
  }
}

// The backward algorithms 0 and 1 work in place, the others do not.
size_t BackwardBytes(const Parts& p, int algorithm) {
  if (algorithm == 0) return 0;
  if (algorithm == 1) return BytesOf(*p.w) + 4096;
  if (algorithm == 2) return BytesOf(*p.x) + BytesOf(*p.y);
  return algorithm == 3 ? BytesOf(*p.w) * 2 : kNotPossible;
}

using Sizer = size_t (*)(const Parts&, int);

cudnnStatus_t GiveWorkspace(const Call& call, cudnnHandle_t handle,
                            const Parts& parts, int algorithm, Sizer sizer,
                            size_t* size) {
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  SIMGPU_CUDNN_REFUSE(call, size == nullptr, CUDNN_STATUS_BAD_PARAM);
  const cudnnStatus_t checked = Check(call, handle, parts);
  if (checked != CUDNN_STATUS_SUCCESS) return checked;
  *size = sizer(parts, algorithm);
  SIMGPU_CUDNN_REFUSE(call, *size == kNotPossible, CUDNN_STATUS_NOT_SUPPORTED);
  return CUDNN_STATUS_SUCCESS;
}

// Lists the algorithms, fastest first, each with its workspace.
template <class Perf, size_t n>
cudnnStatus_t GiveAlgorithms(const Call& call, cudnnHandle_t handle,
                             const Parts& parts, const int (&order)[n],
                             Sizer sizer, int asked, int* given, Perf* out) {
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  SIMGPU_CUDNN_REFUSE(call, given == nullptr || out == nullptr || asked < 1,
                      CUDNN_STATUS_BAD_PARAM);
  const cudnnStatus_t checked = Check(call, handle, parts);
  if (checked != CUDNN_STATUS_SUCCESS) return checked;
  *given = 0;
  for (size_t i = 0; i < n && *given < asked; ++i) {
    const size_t bytes = sizer(parts, order[i]);
    if (bytes == kNotPossible) continue;
    Perf& perf = out[(*given)++];
    perf = {};
    perf.algo = static_cast<decltype(perf.algo)>(order[i]);
    perf.status = CUDNN_STATUS_SUCCESS;
    perf.time = 0.1F * static_cast<float>(i + 1);
    perf.memory = bytes;
    perf.determinism = CUDNN_DETERMINISTIC;
  }
  return CUDNN_STATUS_SUCCESS;
}

constexpr int kForwardOrder[] = {
    CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
    CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD,
    CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED,
    CUDNN_CONVOLUTION_FWD_ALGO_GEMM,
    CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
    CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING,
    CUDNN_CONVOLUTION_FWD_ALGO_FFT};
constexpr int kBackwardOrder[] = {1, 0, 3, 2};

struct Workspace {
  void* memory;
  size_t bytes;
};

cudnnStatus_t Run(const Call& call, cudnnHandle_t handle, size_t needed,
                  const Workspace& workspace, const void* a, const void* b,
                  const void* out) {
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  SIMGPU_CUDNN_REFUSE(call, needed == kNotPossible, CUDNN_STATUS_NOT_SUPPORTED);
  SIMGPU_CUDNN_REFUSE(call, workspace.bytes < needed,
                      CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT);
  if (needed == 0) return Execute(call, handle, {a, b, out});
  return Execute(call, handle, {a, b, out, workspace.memory});
}

}  // namespace
}  // namespace simgpu::cudnn

using namespace simgpu::cudnn;

extern "C" {

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
    const cudnnFilterDescriptor_t w, const cudnnConvolutionDescriptor_t c,
    const cudnnTensorDescriptor_t y, cudnnConvolutionFwdAlgo_t algorithm,
    size_t* size) {
  return GiveWorkspace(Call(__func__, handle), handle, {x, w, c, y}, algorithm,
                       ForwardBytes, size);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t w,
    const cudnnTensorDescriptor_t dy, const cudnnConvolutionDescriptor_t c,
    const cudnnTensorDescriptor_t dx, cudnnConvolutionBwdDataAlgo_t algorithm,
    size_t* size) {
  return GiveWorkspace(Call(__func__, handle), handle, {dx, w, c, dy},
                       algorithm, BackwardBytes, size);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
    const cudnnTensorDescriptor_t dy, const cudnnConvolutionDescriptor_t c,
    const cudnnFilterDescriptor_t dw, cudnnConvolutionBwdFilterAlgo_t algorithm,
    size_t* size) {
  return GiveWorkspace(Call(__func__, handle), handle, {x, dw, c, dy},
                       algorithm, BackwardBytes, size);
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
    const cudnnFilterDescriptor_t w, const cudnnConvolutionDescriptor_t c,
    const cudnnTensorDescriptor_t y, int asked, int* given,
    cudnnConvolutionFwdAlgoPerf_t* out) {
  return GiveAlgorithms(Call(__func__, handle), handle, {x, w, c, y},
                        kForwardOrder, ForwardBytes, asked, given, out);
}

cudnnStatus_t cudnnFindConvolutionForwardAlgorithm(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
    const cudnnFilterDescriptor_t w, const cudnnConvolutionDescriptor_t c,
    const cudnnTensorDescriptor_t y, int asked, int* given,
    cudnnConvolutionFwdAlgoPerf_t* out) {
  return GiveAlgorithms(Call(__func__, handle), handle, {x, w, c, y},
                        kForwardOrder, ForwardBytes, asked, given, out);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t w,
    const cudnnTensorDescriptor_t dy, const cudnnConvolutionDescriptor_t c,
    const cudnnTensorDescriptor_t dx, int asked, int* given,
    cudnnConvolutionBwdDataAlgoPerf_t* out) {
  return GiveAlgorithms(Call(__func__, handle), handle, {dx, w, c, dy},
                        kBackwardOrder, BackwardBytes, asked, given, out);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
    const cudnnTensorDescriptor_t dy, const cudnnConvolutionDescriptor_t c,
    const cudnnFilterDescriptor_t dw, int asked, int* given,
    cudnnConvolutionBwdFilterAlgoPerf_t* out) {
  return GiveAlgorithms(Call(__func__, handle), handle, {x, dw, c, dy},
                        kBackwardOrder, BackwardBytes, asked, given, out);
}

cudnnStatus_t cudnnConvolutionForward(
    cudnnHandle_t handle, const void*, const cudnnTensorDescriptor_t x_desc,
    const void* x, const cudnnFilterDescriptor_t w_desc, const void* w,
    const cudnnConvolutionDescriptor_t c, cudnnConvolutionFwdAlgo_t algorithm,
    void* workspace, size_t workspace_bytes, const void*,
    const cudnnTensorDescriptor_t y_desc, void* y) {
  const Call call(__func__, handle);
  const Parts parts = {x_desc, w_desc, c, y_desc};
  const cudnnStatus_t checked = Check(call, handle, parts);
  if (checked != CUDNN_STATUS_SUCCESS) return checked;
  return Run(call, handle, ForwardBytes(parts, algorithm),
             {workspace, workspace_bytes}, x, w, y);
}

cudnnStatus_t cudnnConvolutionBackwardData(
    cudnnHandle_t handle, const void*, const cudnnFilterDescriptor_t w_desc,
    const void* w, const cudnnTensorDescriptor_t dy_desc, const void* dy,
    const cudnnConvolutionDescriptor_t c,
    cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace,
    size_t workspace_bytes, const void*, const cudnnTensorDescriptor_t dx_desc,
    void* dx) {
  const Call call(__func__, handle);
  const Parts parts = {dx_desc, w_desc, c, dy_desc};
  const cudnnStatus_t checked = Check(call, handle, parts);
  if (checked != CUDNN_STATUS_SUCCESS) return checked;
  return Run(call, handle, BackwardBytes(parts, algorithm),
             {workspace, workspace_bytes}, w, dy, dx);
}

cudnnStatus_t cudnnConvolutionBackwardFilter(
    cudnnHandle_t handle, const void*, const cudnnTensorDescriptor_t x_desc,
    const void* x, const cudnnTensorDescriptor_t dy_desc, const void* dy,
    const cudnnConvolutionDescriptor_t c,
    cudnnConvolutionBwdFilterAlgo_t algorithm, void* workspace,
    size_t workspace_bytes, const void*, const cudnnFilterDescriptor_t dw_desc,
    void* dw) {
  const Call call(__func__, handle);
  const Parts parts = {x_desc, dw_desc, c, dy_desc};
  const cudnnStatus_t checked = Check(call, handle, parts);
  if (checked != CUDNN_STATUS_SUCCESS) return checked;
  return Run(call, handle, BackwardBytes(parts, algorithm),
             {workspace, workspace_bytes}, x, dy, dw);
}

cudnnStatus_t cudnnConvolutionBackwardBias(
    cudnnHandle_t handle, const void*, const cudnnTensorDescriptor_t dy_desc,
    const void* dy, const void*, const cudnnTensorDescriptor_t db_desc,
    void* db) {
  const Call call(__func__, handle);
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  SIMGPU_CUDNN_REFUSE(call, !IsSet(dy_desc) || !IsSet(db_desc),
                      CUDNN_STATUS_BAD_PARAM);
  return Execute(call, handle, {dy, db});
}

}  // extern "C"
