// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/cudnn_words.h"

#include <cudnn.h>

#include <cstdarg>
#include <cstdio>
#include <iterator>

#include "collector/cudnn/cudnn_names.h"

namespace inquest::collector {
namespace {

using Kind = CudnnOperand::Kind;

// Whether the elements are contiguous if the dimensions are nested in this
// order, the innermost last.
bool Packed(const CudnnContents& c, const int* order) {
  uint64_t wanted = 1;
  for (int i = c.count - 1; i >= 0; --i) {
    const auto size = static_cast<uint64_t>(c.lists[0][order[i]]);
    const auto stride = static_cast<uint64_t>(c.lists[1][order[i]]);
    if (size != 1 && stride != wanted) return false;
    wanted *= size;
  }
  return true;
}

}  // namespace

const char* CudnnWords::TypeName(int type) {
  static constexpr const char* kNames[] = {
      "f32",    "f64",  "f16", "i8",   "i32",    "i8x4",   "u8", "u8x4",
      "i8x32",  "bf16", "i64", "bool", "f8e4m3", "f8e5m2", "f8", "f8e8m0",
      "f4e2m1", "i4",   "u4",  "u32",  "c64",    "c128"};
  return type >= 0 && static_cast<size_t>(type) < std::size(kNames)
             ? kNames[type]
             : "other";
}

void CudnnWords::Add(const CudnnOperand& operand,
                     const CudnnContents& contents) {
  if (!contents.there) return;
  switch (operand.kind) {
    case Kind::kTensor:
      AddShape(operand.name, contents);
      return AddLayout(contents);
    case Kind::kFilter:
      AddShape(operand.name, contents);
      if (contents.form == CUDNN_TENSOR_NCHW) return;
      return Put(contents.form == CUDNN_TENSOR_NHWC ? " nhwc" : " vectors");
    case Kind::kRnnData:
    case Kind::kSequence:
      return AddShape(operand.name, contents);
    case Kind::kConvolution:
      return AddConvolution(contents);
    case Kind::kPooling:
      return AddPooling(contents);
    case Kind::kActivation:
      return AddNamed("activation", "cudnnActivationMode_t", contents.form);
    case Kind::kNormWindow:
      return Put("%swindow %d", Comma(), contents.numbers[0]);
    case Kind::kRnn:
      return AddRnn(contents);
    case Kind::kAttention:
      return AddAttention(contents);
    case Kind::kReduction:
      return AddNamed("reduce", "cudnnReduceTensorOp_t", contents.form);
    case Kind::kElementwise:
      return AddNamed("op", "cudnnOpTensorOp_t", contents.form);
    case Kind::kLoss:
    case Kind::kCount:
      return;
  }
}

void CudnnWords::AddNamed(const char* label, std::string_view kind,
                          int64_t value) {
  const char* name = CudnnName(kind, value);
  if (name != nullptr) return Put("%s%s %s", Comma(), label, name);
  Put("%s%s %lld", Comma(), label, static_cast<long long>(value));
}

void CudnnWords::AddList(const char* label, const int64_t* values, int count) {
  Put("%s%s ", Comma(), label);
  List(values, count);
}

void CudnnWords::AddState(const char* name, const char* state) {
  Put("%s%s %s", Comma(), name, state);
}

void CudnnWords::AddRemark(std::string_view text) {
  Put(" (%.*s)", static_cast<int>(text.size()), text.data());
}

void CudnnWords::AddText(std::string_view text, const char* separator) {
  Put("%.*s%s", static_cast<int>(text.size()), text.data(), separator);
  fresh_ = true;
}

void CudnnWords::AddShape(const char* name, const CudnnContents& contents) {
  Put("%s%s ", Comma(), name);
  if (contents.type != type_) Put("%s ", TypeName(contents.type));
  type_ = contents.type;
  List(contents.lists[0], contents.count);
}

void CudnnWords::AddConvolution(const CudnnContents& c) {
  AddList("pad", c.lists[0], c.count);
  AddList("stride", c.lists[1], c.count);
  bool dilated = false;
  for (int i = 0; i < c.count; ++i) dilated = dilated || c.lists[2][i] != 1;
  if (dilated) AddList("dilation", c.lists[2], c.count);
  if (c.numbers[0] != 1) Put(", groups %d", c.numbers[0]);
}

void CudnnWords::AddPooling(const CudnnContents& c) {
  AddNamed("pool", "cudnnPoolingMode_t", c.form);
  Put(" ");
  List(c.lists[0], c.count);
  AddList("pad", c.lists[1], c.count);
  AddList("stride", c.lists[2], c.count);
}

void CudnnWords::AddRnn(const CudnnContents& c) {
  const int* n = c.numbers;
  AddNamed("cell", "cudnnRNNMode_t", c.form);
  if (c.type != type_) Put(" %s", TypeName(c.type));
  type_ = c.type;
  AddNamed("algorithm", "cudnnRNNAlgo_t", n[0]);
  if (n[2] == CUDNN_BIDIRECTIONAL) Put(", bidirectional");
  Put(", input %d, hidden %d, layers %d", n[5], n[6], n[8]);
  if (n[7] != n[6]) Put(", projection %d", n[7]);
}

void CudnnWords::AddAttention(const CudnnContents& c) {
  const int* n = c.numbers;
  Put("%sheads %d", Comma(), n[0]);
  if (c.type != type_) Put(" %s", TypeName(c.type));
  type_ = c.type;
  Put(", q %d, k %d, v %d, projections %dx%dx%dx%d", n[2], n[3], n[4], n[5],
      n[6], n[7], n[8]);
  Put(", longest %dx%d, batch %d, beam %d", n[9], n[10], n[11], n[12]);
}

void CudnnWords::AddLayout(const CudnnContents& c) {
  int order[CudnnContents::kMaxDims];
  for (int i = 0; i < c.count; ++i) order[i] = i;
  if (Packed(c, order)) return;
  // Channels last: the second is the innermost.
  for (int i = 1; i + 1 < c.count; ++i) order[i] = i + 1;
  if (c.count > 1) order[c.count - 1] = 1;
  if (c.count > 2 && Packed(c, order)) return Put(" nhwc");
  Put(" strides ");
  List(c.lists[1], c.count);
}

void CudnnWords::List(const int64_t* values, int count) {
  for (int i = 0; i < count; ++i) {
    Put(i == 0 ? "%lld" : "x%lld", static_cast<long long>(values[i]));
  }
}

void CudnnWords::Put(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const size_t room = sizeof text_ - size_;
  const int printed = std::vsnprintf(text_ + size_, room, format, arguments);
  va_end(arguments);
  if (printed <= 0) return;
  fresh_ = false;
  const auto size = static_cast<size_t>(printed);
  size_ += size < room ? size : room - 1;
}

}  // namespace inquest::collector
