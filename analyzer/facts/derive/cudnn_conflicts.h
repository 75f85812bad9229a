// SPDX-License-Identifier: Apache-2.0
// In what the operands of a rejected cuDNN call contradict each other, worked
// out from their recorded shapes: "x has 48 channels, w expects 64". Only what
// no version of the library accepts is a contradiction; for everything else
// there is no sentence. Used by cudnn_rejections.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/facts/derive/cudnn_words.h"

namespace inquest::facts {

// Empty if there is no contradiction. `operation` is that of the trace.
std::string CudnnConflict(std::string_view function,
                          std::string_view operation);

// One number of a call's detail; a list has a row for each of its elements.
struct CudnnArgument {
  std::string name;
  int64_t value = 0;
};
// Sizes and paddings of a descriptor's setter that cannot be; empty if none.
std::string CudnnArgumentConflict(std::string_view function,
                                  const std::vector<CudnnArgument>& arguments);

// Whether it is one of the sizes, paddings or strides that a setter takes.
bool IsCudnnSize(std::string_view argument);

// convolution_conflicts.cc
bool IsCudnnConvolution(std::string_view function, const CudnnLayer& layer);
std::string CudnnConvolutionConflict(const CudnnLayer& layer);

}  // namespace inquest::facts
