// SPDX-License-Identifier: Apache-2.0
// Convolutions: what input, filter, output and the convolution itself say about
// each other. The names are those of either API and of any direction.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/facts/derive/cudnn_conflicts.h"

namespace inquest::facts {
namespace {

using Numbers = std::vector<int64_t>;

struct Convolution {
  const CudnnOperand* in;
  const CudnnOperand* filter;
  const CudnnOperand* out;
  Numbers pad, after, stride, dilation;
  int64_t groups = 1;
  bool backend = false;  // has no groups: the channels tell them
};

Numbers DimsOf(const CudnnLayer& layer, std::string_view name) {
  const CudnnOperand* found = layer.Find({name});
  return found == nullptr ? Numbers{} : found->dims;
}

Convolution ReadConvolution(const CudnnLayer& layer) {
  Convolution c;
  c.in = layer.Find({"x", "dx", "inputTensor"});
  c.filter = layer.Find({"w", "dw", "filter"});
  c.out = layer.Find({"y", "dy"});
  c.pad = DimsOf(layer, "pad");
  c.after = DimsOf(layer, "pad behind");
  if (c.after.empty()) c.after = c.pad;
  c.stride = DimsOf(layer, "stride");
  c.dilation = DimsOf(layer, "dilation");
  if (c.dilation.empty()) c.dilation.assign(c.pad.size(), 1);
  const Numbers groups = DimsOf(layer, "groups");
  if (!groups.empty()) c.groups = groups[0];
  c.backend = !layer.operation.empty();
  return c;
}

bool IsShape(const CudnnOperand* operand) {
  return operand != nullptr && operand->dims.size() >= 3 && !operand->vectors &&
         operand->type.find("8x") == std::string::npos &&
         std::all_of(operand->dims.begin(), operand->dims.end(),
                     [](int64_t size) { return size > 0; });
}

std::string RankConflict(const Convolution& c) {
  if (c.in->dims.size() != c.filter->dims.size()) {
    return fmt::format("{} has {} dimensions, {} has {}", c.in->name,
                       c.in->dims.size(), c.filter->name,
                       c.filter->dims.size());
  }
  if (!c.pad.empty() && c.pad.size() + 2 != c.in->dims.size()) {
    return fmt::format("the convolution has {} spatial dimensions, {} has {}",
                       c.pad.size(), c.in->name, c.in->dims.size() - 2);
  }
  return "";
}

std::string ChannelConflict(const Convolution& c) {
  const int64_t has = c.in->dims[1];
  const int64_t wants = c.filter->dims[1];
  if (c.backend ? has % wants == 0 : has == wants * c.groups) return "";
  if (c.groups > 1) {
    return fmt::format(
        "{} has {} channels, {} expects {} ({} in each of {} "
        "groups)",
        c.in->name, has, c.filter->name, wants * c.groups, wants, c.groups);
  }
  return fmt::format("{} has {} channels, {} expects {}{}", c.in->name, has,
                     c.filter->name, wants,
                     c.backend && has > wants ? " or a multiple of it" : "");
}

std::string GroupConflict(const Convolution& c) {
  if (c.groups < 2 || c.filter->dims[0] % c.groups == 0) return "";
  return fmt::format("the {} filters of {} cannot be shared by {} groups",
                     c.filter->dims[0], c.filter->name, c.groups);
}

std::string TypeConflict(const Convolution& c) {
  if (c.backend || c.in->type == c.filter->type) return "";
  return fmt::format("{} is {}, {} is {}", c.in->name, c.in->type,
                     c.filter->name, c.filter->type);
}

int64_t OutputSize(const Convolution& c, size_t i) {
  const int64_t window = (c.filter->dims[i + 2] - 1) * c.dilation[i] + 1;
  const int64_t room = c.in->dims[i + 2] + c.pad[i] + c.after[i] - window;
  return room < 0 ? 0 : 1 + room / c.stride[i];
}

// Batch, channels, then the size of the image.
Numbers OutputOf(const Convolution& c) {
  Numbers dims = {c.in->dims[0], c.filter->dims[0]};
  for (size_t i = 0; i < c.pad.size(); ++i) dims.push_back(OutputSize(c, i));
  return dims;
}

bool KnowsOutput(const Convolution& c) {
  const size_t count = c.pad.size();
  return count + 2 == c.in->dims.size() && c.stride.size() == count &&
         c.after.size() == count && c.dilation.size() == count &&
         *std::min_element(c.stride.begin(), c.stride.end()) > 0;
}

std::string OutputConflict(const Convolution& c) {
  if (!KnowsOutput(c)) return "";
  const Numbers made = OutputOf(c);
  if (*std::min_element(made.begin(), made.end()) < 1) {
    return fmt::format("the filter of {} does not fit into {} with its padding",
                       c.filter->name, c.in->name);
  }
  if (!IsShape(c.out) || c.out->dims == made) return "";
  return fmt::format("{} is {}, but {} with {} gives {}", c.out->name,
                     CudnnShape(c.out->dims), c.in->name, c.filter->name,
                     CudnnShape(made));
}

// "w" of a graph's operation that has not been given one.
std::string MissingPart(const Convolution& c) {
  if (!c.backend) return "";
  if (c.in == nullptr) return "the operation has no input";
  if (c.filter == nullptr) return "the operation has no filter";
  if (c.out == nullptr) return "the operation has no output";
  return c.pad.empty() ? "the operation has no convolution descriptor" : "";
}

}  // namespace

bool IsCudnnConvolution(std::string_view function, const CudnnLayer& layer) {
  if (!layer.operation.empty()) {
    return layer.operation == "convolution forward" ||
           layer.operation == "convolution backward data" ||
           layer.operation == "convolution backward filter";
  }
  return function.find("Convolution") != std::string_view::npos &&
         function.find("BackwardBias") == std::string_view::npos;
}

std::string CudnnConvolutionConflict(const CudnnLayer& layer) {
  const Convolution c = ReadConvolution(layer);
  std::string conflict = MissingPart(c);
  if (!conflict.empty() || !IsShape(c.in) || !IsShape(c.filter)) {
    return conflict;
  }
  for (const auto check : {RankConflict, ChannelConflict, GroupConflict,
                           TypeConflict, OutputConflict}) {
    conflict = check(c);
    if (!conflict.empty()) break;
  }
  return conflict;
}

}  // namespace inquest::facts
