// SPDX-License-Identifier: Apache-2.0
// Reads the text of a recorded layer of cuDNN back into its operands:
// "x f32 8x48x56x56, w 64x64x3x3, pad 1x1, stride 1x1, y 8x64x56x56", or for a
// graph "convolution forward: x f32 …; pointwise: …". Written by the collector
// (collector/cudnn/cudnn_words.h). Used by cudnn_conflicts.cc. Text that it
// does not understand becomes an operand with a name alone.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace inquest::facts {

struct CudnnOperand {
  std::string name;
  std::string type;   // f32, of itself or of the operand before it
  std::string state;  // null, destroyed, not set, …; empty if it is described
  std::string remark;  // what the collector adds in brackets
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;  // if they are given
  bool vectors = false;          // several channels in one element
};

struct CudnnLayer {
  std::string operation;  // "convolution forward", of a graph only
  std::vector<CudnnOperand> operands;

  // The first operand with one of these names, or null.
  const CudnnOperand* Find(std::initializer_list<std::string_view> names) const;
};

std::vector<CudnnLayer> ReadCudnnWords(std::string_view text);
// 8x48x56x56
std::string CudnnShape(const std::vector<int64_t>& dims);

}  // namespace inquest::facts
