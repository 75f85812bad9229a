// Which layer a cuDNN call works on. The host's descriptors are read after the
// call and outside its measured time; function and contents are hashed into the
// operation's id. What an operation is in words goes into the journal the first
// time it is seen.
//
// Called by the generated wrappers through CudnnCall. Locks nothing but at a
// function's first call (the dynamic linker's lock), allocates nothing. Up to
// 4,096 operations; two with the same 63-bit hash would be taken for one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/cudnn_descriptors.h"

namespace inquest::collector {

// What a wrapper knows of a call that was given an algorithm and a workspace.
struct CudnnRun {
  int algorithm;
  size_t workspace_bytes;
  const CudnnOperand* operands;
  size_t count;
  CudnnGetters* getters;
};

// The operation's id, 0 where it cannot be told or too many were seen (counted
// as loss). `real` is the library's function that was called. *refused is set
// when a getter failed, which may have changed cuDNN's last error.
uint64_t CudnnOperation(const char* function, const void* real,
                        const CudnnRun& run, bool* refused);
// In a forked child: its trace knows none of the parent's.
void ForgetCudnnOperations();

}  // namespace inquest::collector
