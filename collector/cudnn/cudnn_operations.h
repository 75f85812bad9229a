// SPDX-License-Identifier: Apache-2.0
// Which layer a cuDNN call works on, and how it was run. The host's descriptors
// are read after the call and outside its measured time; function, modes and
// contents are hashed into the operation's id, the operation with algorithm and
// workspace into the choice's. Their descriptions go into the journal when
// first seen; the calls themselves only name the choice.
//
// Called by the generated wrappers through CudnnCall. Takes a lock only at a
// function's first call (the dynamic linker's), allocates nothing. Up to 8,192
// operations and 16,384 choices; two with the same 63-bit hash would count as
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "collector/cudnn/cudnn_descriptors.h"
#include "trace/records/records.h"

namespace inquest::collector {

struct BackendAttribute;  // backend_values.h

constexpr int kNoAlgorithm = -1;

struct CudnnMode {
  const char* kind;  // the enumeration: cudnnBatchNormMode_t
  const char* name;  // the parameter: mode
  int value;
};

// What a wrapper knows about a call that works on tensors.
struct CudnnRun {
  uint64_t function = 0;  // hash of its name
  const CudnnOperand* operands = nullptr;
  size_t count = 0;
  const CudnnMode* modes = nullptr;
  size_t mode_count = 0;
  int algorithm = kNoAlgorithm;  // kNoAlgorithm: there is no choice
  size_t workspace_bytes = 0;    // given
  // The hash of the function that returns the needed workspace, with its
  // arguments that are not descriptors, 0 if there is no such function; and
  // which of the operands it also takes, one bit each.
  uint64_t asking = 0;
  uint32_t asked_operands = 0;
  CudnnGetters* getters = nullptr;
  // For the backend API (cudnn_backend.h) only these are set.
  const void* plan = nullptr;
  const void* pack = nullptr;
  // Of a call that was rejected: the descriptor, and what was to be set of it.
  const void* rejected = nullptr;
  const BackendAttribute* attribute = nullptr;
};

// What cuDNN thinks of a call's descriptors.
enum class CudnnTrust {
  kAccepted,  // valid: all can be read
  kRejected,  // only those are read that are known to live (cudnn_living.h)
  kMissing    // the library does not have the function
};

// The choice's id, 0 if too many were seen (counted as loss). `real` is the
// library's function that was called. *refused is set if a getter failed, which
// may have changed cuDNN's last error.
uint64_t CudnnChoiceOf(const char* function, const void* real,
                       const CudnnRun& run, CudnnTrust trust, bool* refused);
// cuDNN has returned how much workspace this needs. `real` as above.
void NoteCudnnWorkspace(const void* real, const CudnnRun& run, size_t bytes);

// For the backend API. 0 if too many were seen.
uint64_t RecordCudnnOperation(uint64_t id, const char* function,
                              std::string_view text);
// `more` is a hash of what the record has only as text.
uint64_t RecordCudnnChoice(trace::CudnnChoiceRecord choice, uint64_t more = 0);

// In a forked child, whose trace has none of the parent's records.
void ForgetCudnnOperations();

}  // namespace inquest::collector
