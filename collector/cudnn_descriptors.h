// What the descriptors of a cuDNN call hold, read with the getters of the very
// library that was called (another cuDNN's would misread them), and the same in
// words. Used by cudnn_operations.cc; the wrappers hand the descriptors over.
//
// Allocates nothing. Getters are found once a wrapper, under the dynamic
// linker's lock. Descriptors must be the host's own, in use in this very call.
#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>

namespace inquest::collector {

struct CudnnOperand {
  enum class Kind { kTensor, kFilter, kConvolution };
  Kind kind;
  const char* name;        // x, w, dy, …
  const void* descriptor;  // the host's; null where it gave none
};

// The getters of one wrapper's library; constant-initialised in the wrapper.
struct CudnnGetters {
  enum State { kUnknown, kFound, kMissing };
  std::atomic<int> state{kUnknown};
  std::atomic<void*> tensor{nullptr};
  std::atomic<void*> filter{nullptr};
  std::atomic<void*> convolution{nullptr};
  std::atomic<void*> groups{nullptr};
};

// The lists are a tensor's dims and strides, a filter's dims, a convolution's
// pads, strides and dilations.
struct CudnnContents {
  static constexpr int kMostDims = 8;
  bool there = false;
  int type = 0;
  int form = 0;  // a filter's format, a convolution's mode
  int groups = 1;
  int count = 0;
  int lists[3][kMostDims] = {};
};
// How many of the lists a descriptor of this kind has.
int CudnnListsOf(CudnnOperand::Kind kind);

// False when the library of `real` lacks any of them.
bool FindCudnnGetters(const void* real, CudnnGetters* getters);
// False when the getter refused.
bool ReadCudnnOperand(const CudnnGetters& getters, const CudnnOperand& operand,
                      CudnnContents* to);

// x f32 32x64x56x56, w 64x64x3x3, pad 1x1, stride 1x1: a type is said where it
// changes, layout, dilation and groups where they are not the usual ones.
class CudnnWords {
 public:
  void Add(const CudnnOperand& operand, const CudnnContents& contents);
  std::string_view Text() const { return {text_, size_}; }

 private:
  void AddConvolution(const CudnnContents& contents);
  void AddLayout(const CudnnContents& contents);
  void List(const int* values, int count);
  const char* Comma() const { return size_ == 0 ? "" : ", "; }
  __attribute__((format(printf, 2, 3))) void Put(const char* format, ...);

  char text_[768];
  size_t size_ = 0;
  int type_ = -1;
};

}  // namespace inquest::collector
