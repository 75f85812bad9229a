// SPDX-License-Identifier: Apache-2.0
// What the backend API checks when a descriptor is finished: the strides of
// tensors, and whether the tensors of a convolution fit each other. Checks,
// order and words as seen in the real 9.19.
#include <algorithm>
#include <cstring>

#include "cudnn/backend.h"

namespace simgpu::cudnn {
namespace {

std::vector<int64_t> Numbers(const Backend* d, int name) {
  if (d == nullptr || !d->Has(name)) return {};
  const auto& attribute = d->attributes.at(name);
  std::vector<int64_t> numbers(attribute.bytes.size() / sizeof(int64_t));
  std::memcpy(numbers.data(), attribute.bytes.data(),
              numbers.size() * sizeof(int64_t));
  return numbers;
}

// The tensors of a convolution, whatever its direction.
struct Names {
  int x, w, y, c;
};

const char* WhyNoConvolution(const Backend& d, const Names& names) {
  const Backend* c = d.Held(names.c);
  const auto x = Numbers(d.Held(names.x), CUDNN_ATTR_TENSOR_DIMENSIONS);
  const auto w = Numbers(d.Held(names.w), CUDNN_ATTR_TENSOR_DIMENSIONS);
  const auto y = Numbers(d.Held(names.y), CUDNN_ATTR_TENSOR_DIMENSIONS);
  if (x.empty() || w.empty() || y.empty() || c == nullptr) {
    return "(!xDesc.isFinalized()) || (!wDesc.isFinalized()) || "
           "(!cDesc.isFinalized()) || (!yDesc.isFinalized())";
  }
  if (x.size() != w.size() || x.size() != y.size() || x.size() < 3) {
    return "(xDimA.size() != wDimA.size())";
  }
  if (w[1] == 0 || x[1] == 0 || x[1] % w[1] != 0) {
    return "(0 == wDimA[1]) || (0 == xDimA[1]) || (0 != xDimA[1] % wDimA[1])";
  }
  if (y[0] != x[0]) return "yDimA[N_DIM] != xDimA[N_DIM]";
  if (y[1] != w[0]) {
    return "yDesc.getVectCount() * yDimA[CK_DIM] != wDimA[WK_DIM]";
  }
  return nullptr;
}

}  // namespace

const char* WhyNotFinished(const Backend& d) {
  switch (d.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR: {
      const auto strides = Numbers(&d, CUDNN_ATTR_TENSOR_STRIDES);
      return std::any_of(strides.begin(), strides.end(),
                         [](int64_t stride) { return stride < 0; })
                 ? "_strA[d] < 0"
                 : nullptr;
    }
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      return WhyNoConvolution(
          d, {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC});
    default:
      return nullptr;
  }
}

}  // namespace simgpu::cudnn
