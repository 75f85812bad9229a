// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/cudnn_conflicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

namespace inquest::facts {
namespace {

// Operands that cannot be left out, by the names of either direction.
bool IsNeeded(std::string_view name) {
  static constexpr std::string_view kNeeded[] = {
      "x", "dx", "y", "dy", "w", "dw", "conv", "inputTensor", "filter"};
  return std::find(std::begin(kNeeded), std::end(kNeeded), name) !=
         std::end(kNeeded);
}

std::string StateConflict(const CudnnOperand& operand, bool convolution) {
  const std::string why =
      operand.remark.empty() ? "" : " (" + operand.remark + ")";
  if (operand.state == "null" && convolution && IsNeeded(operand.name)) {
    return operand.name + " is null";
  }
  if (operand.state == "destroyed") {
    return operand.name + " had been destroyed";
  }
  if (operand.state == "not set") return operand.name + " was not set" + why;
  if (operand.state == "of another kind") {
    return operand.name + " is a descriptor of another kind";
  }
  return "";
}

bool AnyBelow(const std::vector<int64_t>& values, int64_t least) {
  return std::any_of(values.begin(), values.end(),
                     [=](int64_t value) { return value < least; });
}

// The least size that makes sense; of lists that are not shapes only those of a
// convolution are known.
std::optional<int64_t> LeastOf(const CudnnOperand& operand) {
  const std::string_view name = operand.name;
  if (name == "pad" || name == "pad behind") return 0;
  if (name == "stride" || name == "dilation" || name == "groups") return 1;
  const bool other = name.find("pad") != std::string_view::npos ||
                     name.starts_with("pool ") || name == "projections";
  if (operand.dims.size() < 3 || other) return std::nullopt;
  return 1;
}

std::string SignConflict(const CudnnOperand& operand) {
  const std::optional<int64_t> least = LeastOf(operand);
  if (least && AnyBelow(operand.dims, *least)) {
    return fmt::format("{} is {}", operand.name, CudnnShape(operand.dims));
  }
  if (AnyBelow(operand.strides, 0)) {
    return fmt::format("{} has the strides {}", operand.name,
                       CudnnShape(operand.strides));
  }
  return "";
}

// Functions whose x and y must have one shape.
std::string SameShapeConflict(std::string_view function,
                              const CudnnLayer& layer) {
  if (!function.starts_with("cudnnActivation") &&
      !function.starts_with("cudnnSoftmax") &&
      !function.starts_with("cudnnBatchNormalization") &&
      !function.starts_with("cudnnLRN")) {
    return "";
  }
  const CudnnOperand* x = layer.Find({"x", "dx"});
  const CudnnOperand* y = layer.Find({"y", "dy"});
  if (x == nullptr || y == nullptr || x->dims.empty() || y->dims.empty() ||
      x->dims == y->dims) {
    return "";
  }
  return fmt::format("{} is {}, {} is {}", x->name, CudnnShape(x->dims),
                     y->name, CudnnShape(y->dims));
}

// The vectors of an RNN's data are as long as the RNN says.
std::string RecurrentConflict(std::string_view function,
                              const CudnnLayer& layer) {
  const CudnnOperand* x = layer.Find({"x"});
  const CudnnOperand* input = layer.Find({"input"});
  if (!function.starts_with("cudnnRNN") || x == nullptr || input == nullptr ||
      x->dims.size() != 3 || input->dims.size() != 1 ||
      x->dims[2] == input->dims[0]) {
    return "";
  }
  return fmt::format("x has vectors of {}, the RNN expects {}", x->dims[2],
                     input->dims[0]);
}

std::string LayerConflict(std::string_view function, const CudnnLayer& layer) {
  const bool convolution = IsCudnnConvolution(function, layer);
  for (const CudnnOperand& operand : layer.operands) {
    std::string conflict = StateConflict(operand, convolution);
    if (conflict.empty()) conflict = SignConflict(operand);
    if (!conflict.empty()) return conflict;
  }
  if (convolution) return CudnnConvolutionConflict(layer);
  std::string conflict = SameShapeConflict(function, layer);
  return conflict.empty() ? RecurrentConflict(function, layer) : conflict;
}

// Arguments of setters that must be above zero, and those that may be zero.
const std::set<std::string_view>& Positive() {
  static const auto* names = new std::set<std::string_view>{"n",
                                                            "c",
                                                            "h",
                                                            "w",
                                                            "k",
                                                            "u",
                                                            "v",
                                                            "dilation_h",
                                                            "dilation_w",
                                                            "dimA",
                                                            "filterDimA",
                                                            "filterStrideA",
                                                            "dilationA",
                                                            "windowDimA",
                                                            "windowHeight",
                                                            "windowWidth",
                                                            "verticalStride",
                                                            "horizontalStride",
                                                            "inputSize",
                                                            "hiddenSize",
                                                            "numLayers",
                                                            "maxSeqLength",
                                                            "batchSize",
                                                            "vectorSize",
                                                            "groupCount",
                                                            "nbDims",
                                                            "arrayLength"};
  return *names;
}

bool MayBeZero(std::string_view name) {
  return name == "pad_h" || name == "pad_w" || name == "padA" ||
         name == "paddingA" || name == "verticalPadding" ||
         name == "horizontalPadding" || name == "strideA" ||
         name.ends_with("Stride");
}

}  // namespace

std::string CudnnConflict(std::string_view function,
                          std::string_view operation) {
  for (const CudnnLayer& layer : ReadCudnnWords(operation)) {
    std::string conflict = LayerConflict(function, layer);
    if (!conflict.empty()) return conflict;
  }
  return "";
}

bool IsCudnnSize(std::string_view argument) {
  return Positive().contains(argument) || MayBeZero(argument);
}

std::string CudnnArgumentConflict(std::string_view function,
                                  const std::vector<CudnnArgument>& arguments) {
  if (!function.starts_with("cudnnSet")) return "";
  for (const CudnnArgument& one : arguments) {
    const bool positive = Positive().contains(one.name);
    if (positive ? one.value < 1 : MayBeZero(one.name) && one.value < 0) {
      return fmt::format("{} is {}", one.name, one.value);
    }
  }
  return "";
}

}  // namespace inquest::facts
