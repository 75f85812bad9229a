// SPDX-License-Identifier: Apache-2.0
// The contents of descriptors as text: x f32 32x64x56x56, w 64x64x3x3, pad 1x1,
// stride 1x1. A type is named when it changes, layout, dilation and groups if
// they are not the usual ones. Allocates nothing; text that is too long is cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "collector/cudnn/cudnn_descriptors.h"

namespace inquest::collector {

class CudnnWords {
 public:
  void Add(const CudnnOperand& operand, const CudnnContents& contents);
  // An enumerator by its type's name, or a number: mode per activation.
  void AddNamed(const char* label, std::string_view kind, int64_t value);
  void AddList(const char* label, const int64_t* values, int count);
  // An operand that cannot be described: y null, w destroyed.
  void AddState(const char* name, const char* state);
  // Behind an operand, in brackets.
  void AddRemark(std::string_view text);
  // Unchanged text: an operation's name before its operands.
  void AddText(std::string_view text, const char* separator);
  std::string_view Text() const { return {text_, size_}; }
  // f32; "other" for types that the headers do not have.
  static const char* TypeName(int type);

 private:
  void AddConvolution(const CudnnContents& contents);
  void AddPooling(const CudnnContents& contents);
  void AddRnn(const CudnnContents& contents);
  void AddAttention(const CudnnContents& contents);
  void AddShape(const char* name, const CudnnContents& contents);
  void AddLayout(const CudnnContents& contents);
  void List(const int64_t* values, int count);
  const char* Comma() const { return fresh_ ? "" : ", "; }
  __attribute__((format(printf, 2, 3))) void Put(const char* format, ...);

  char text_[1700];
  size_t size_ = 0;
  bool fresh_ = true;  // nothing before this needs a comma
  int type_ = -1;
};

}  // namespace inquest::collector
