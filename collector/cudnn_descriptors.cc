#include "collector/cudnn_descriptors.h"

#include <cudnn.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <iterator>

#include "collector/dlsym_hook.h"
#include "collector/modules.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace inquest::collector {
namespace {

using Kind = CudnnOperand::Kind;

constexpr int kMostDims = CudnnContents::kMostDims;
constexpr int kMostSpatial = kMostDims - 2;
static_assert(kMostDims == CUDNN_DIM_MAX);

template <typename Function>
Function As(const std::atomic<void*>& getter) {
  return reinterpret_cast<Function>(getter.load(std::memory_order_relaxed));
}

cudnnStatus_t Ask(const CudnnGetters& getters, Kind kind, void* descriptor,
                  CudnnContents* to) {
  auto* type = reinterpret_cast<cudnnDataType_t*>(&to->type);
  if (kind == Kind::kTensor) {
    return As<decltype(&cudnnGetTensorNdDescriptor)>(getters.tensor)(
        static_cast<cudnnTensorDescriptor_t>(descriptor), kMostDims, type,
        &to->count, to->lists[0], to->lists[1]);
  }
  if (kind == Kind::kFilter) {
    return As<decltype(&cudnnGetFilterNdDescriptor)>(getters.filter)(
        static_cast<cudnnFilterDescriptor_t>(descriptor), kMostDims, type,
        reinterpret_cast<cudnnTensorFormat_t*>(&to->form), &to->count,
        to->lists[0]);
  }
  const auto convolution =
      static_cast<cudnnConvolutionDescriptor_t>(descriptor);
  const cudnnStatus_t status = As<decltype(&cudnnGetConvolutionNdDescriptor)>(
      getters.convolution)(
      convolution, kMostSpatial, &to->count, to->lists[0], to->lists[1],
      to->lists[2], reinterpret_cast<cudnnConvolutionMode_t*>(&to->form), type);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  return As<decltype(&cudnnGetConvolutionGroupCount)>(getters.groups)(
      convolution, &to->groups);
}

const char* TypeName(int type) {
  static constexpr const char* kNames[] = {
      "f32",   "f64",  "f16", "i8",   "i32",    "i8x4",   "u8", "u8x4",
      "i8x32", "bf16", "i64", "bool", "f8e4m3", "f8e5m2", "f8"};
  return type >= 0 && static_cast<size_t>(type) < std::size(kNames)
             ? kNames[type]
             : "other";
}

// Whether the elements lie without gaps when the dimensions are nested in this
// order, the innermost last.
bool Packed(const CudnnContents& c, const int* order) {
  uint64_t wanted = 1;
  for (int i = c.count - 1; i >= 0; --i) {
    const auto size = static_cast<uint32_t>(c.lists[0][order[i]]);
    const auto stride = static_cast<uint32_t>(c.lists[1][order[i]]);
    if (size != 1 && stride != wanted) return false;
    wanted *= size;
  }
  return true;
}

}  // namespace

int CudnnListsOf(Kind kind) {
  return kind == Kind::kConvolution ? 3 : kind == Kind::kTensor ? 2 : 1;
}

bool FindCudnnGetters(const void* real, CudnnGetters* getters) {
  const int state = getters->state.load(std::memory_order_acquire);
  if (state != CudnnGetters::kUnknown) return state == CudnnGetters::kFound;
  // Another cuDNN's getters would misread this one's descriptors.
  void* library = HandleOf(real);
  bool found = library != nullptr;
  const auto find = [&](const char* name, std::atomic<void*>* out) {
    void* at = found ? RealDlsym(library, name) : nullptr;
    found = found && at != nullptr && !IsOurs(at);
    out->store(at, std::memory_order_relaxed);
  };
  find("cudnnGetTensorNdDescriptor", &getters->tensor);
  find("cudnnGetFilterNdDescriptor", &getters->filter);
  find("cudnnGetConvolutionNdDescriptor", &getters->convolution);
  find("cudnnGetConvolutionGroupCount", &getters->groups);
  getters->state.store(found ? CudnnGetters::kFound : CudnnGetters::kMissing,
                       std::memory_order_release);
  return found;
}

bool ReadCudnnOperand(const CudnnGetters& getters, const CudnnOperand& operand,
                      CudnnContents* to) {
  if (operand.descriptor == nullptr) return true;
  to->there = true;
  return Ask(getters, operand.kind, const_cast<void*>(operand.descriptor),
             to) == CUDNN_STATUS_SUCCESS &&
         to->count >= 0 && to->count <= kMostDims;
}

void CudnnWords::Add(const CudnnOperand& operand,
                     const CudnnContents& contents) {
  if (!contents.there) return;
  if (operand.kind == Kind::kConvolution) return AddConvolution(contents);
  Put("%s%s ", Comma(), operand.name);
  if (contents.type != type_) Put("%s ", TypeName(contents.type));
  type_ = contents.type;
  List(contents.lists[0], contents.count);
  if (operand.kind == Kind::kTensor) {
    AddLayout(contents);
  } else if (contents.form != CUDNN_TENSOR_NCHW) {
    Put(contents.form == CUDNN_TENSOR_NHWC ? " nhwc" : " vectors");
  }
}

void CudnnWords::AddConvolution(const CudnnContents& c) {
  Put("%spad ", Comma());
  List(c.lists[0], c.count);
  Put(", stride ");
  List(c.lists[1], c.count);
  bool dilated = false;
  for (int i = 0; i < c.count; ++i) dilated = dilated || c.lists[2][i] != 1;
  if (dilated) {
    Put(", dilation ");
    List(c.lists[2], c.count);
  }
  if (c.groups != 1) Put(", groups %d", c.groups);
}

void CudnnWords::AddLayout(const CudnnContents& c) {
  int order[kMostDims];
  for (int i = 0; i < c.count; ++i) order[i] = i;
  if (Packed(c, order)) return;
  // Channels last: the second is the innermost.
  for (int i = 1; i + 1 < c.count; ++i) order[i] = i + 1;
  if (c.count > 1) order[c.count - 1] = 1;
  if (c.count > 2 && Packed(c, order)) return Put(" nhwc");
  Put(" strides ");
  List(c.lists[1], c.count);
}

void CudnnWords::List(const int* values, int count) {
  for (int i = 0; i < count; ++i) Put(i == 0 ? "%d" : "x%d", values[i]);
}

void CudnnWords::Put(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const size_t room = sizeof text_ - size_;
  const int printed = std::vsnprintf(text_ + size_, room, format, arguments);
  va_end(arguments);
  if (printed <= 0) return;
  const auto size = static_cast<size_t>(printed);
  size_ += size < room ? size : room - 1;
}

}  // namespace inquest::collector
