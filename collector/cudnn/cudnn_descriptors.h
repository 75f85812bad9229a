// SPDX-License-Identifier: Apache-2.0
// Reads the contents of the descriptors of a cuDNN call with the getters of the
// library that was called (another cuDNN's would misread them). Used by
// cudnn_operations.cc; the wrappers hand the descriptors over.
//
// A descriptor's hash is kept until a wrapper sees a call that may change it,
// so most calls need no getter. Allocates nothing. Getters are looked up once
// per wrapper, under the dynamic linker's lock. Descriptors must be the host's
// own and in use in the current call.
#pragma once

#include <atomic>
#include <cstdint>

namespace inquest::collector {

struct CudnnOperand {
  // In the order of kGetterNames.
  enum class Kind : uint8_t {
    kTensor,
    kFilter,
    kConvolution,
    kPooling,
    kActivation,
    kNormWindow,  // of local response normalisation
    kRnn,
    kRnnData,
    kAttention,
    kSequence,
    kLoss,  // CTC
    kReduction,
    kElementwise,
    kCount
  };
  Kind kind;
  const char* name;        // x, w, dy, …
  const void* descriptor;  // the host's; null if it passed none
};

// The getters of one wrapper's library; constant-initialised in the wrapper.
// The last one is a convolution's second, for its groups.
struct CudnnGetters {
  static constexpr int kMaxGetters =
      static_cast<int>(CudnnOperand::Kind::kCount) + 1;
  std::atomic<void*> at[kMaxGetters] = {};
};

// cudnn_readers.cc shows which descriptor fills which field.
struct CudnnContents {
  static constexpr int kMaxDims = 8;
  static constexpr int kMaxNumbers = 16;
  bool there = false;
  int type = -1;  // cudnnDataType_t, -1 none
  int form = 0;   // a filter's format, any other's mode
  int count = 0;  // of each list
  int64_t lists[3][kMaxDims] = {};
  int number_count = 0;
  int numbers[kMaxNumbers] = {};

  uint64_t Hash() const;
};
// False if the library of `real` has no such getter or the getter failed.
bool ReadCudnnOperand(CudnnGetters* getters, const void* real,
                      const CudnnOperand& operand, CudnnContents* to);
// The same for the hash alone.
bool HashCudnnOperand(CudnnGetters* getters, const void* real,
                      const CudnnOperand& operand, uint64_t* hash);
// The host has created, changed or destroyed it.
void CudnnDescriptorChanged(const void* descriptor);
void ForgetCudnnDescriptors();  // in a forked child

}  // namespace inquest::collector
