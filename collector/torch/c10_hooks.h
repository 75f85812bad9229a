// What PyTorch's own allocator does, inside the memory it holds from the
// driver. c10 (libc10.so) has a function that allocators report each block to
// and, since 1.13, one for requests they give up on; CUDA's calls them always,
// profiler or not, with its lock held. Their signatures changed over the years
// and with them their mangled names:
//
//   void reportMemoryUsageToProfiler(void*, int64_t, Device)            1.6-1.9
//   ... (void*, int64_t, int64_t allocated, int64_t reserved, Device) 1.10-1.13
//   ... (void*, int64_t, size_t allocated, size_t reserved, Device)      2.0 on
//   void reportOutOfMemoryToProfiler(int64_t, int64_t, int64_t, Device)    1.13
//   ... (int64_t, size_t, size_t, Device)                                2.0 on
//
// (as the symbol tables of the wheels of 1.8, 1.10, 1.13, 2.0, 2.1, 2.9
// and 2.15 say; see tests/frameworks.)
//
// We export all five: libc10_cuda.so calls them through its PLT, where
// preloaded symbols come first, and each hook calls the function it stands in
// front of. Only blocks of CUDA devices are recorded. The oldest form tells no
// sums, and hands over the allocator's own handle of the block in place of its
// address.
//
// Not seen: allocators that report nothing (backend:cudaMallocAsync, pluggable
// ones), and what libraries take from the driver themselves.
#pragma once

#include "collector/process/modules.h"

namespace inquest::collector {

// Notes in `coverage` which of the names this object defines, if it is
// libc10.so. Drain thread.
void NoteC10(const Module& module);

}  // namespace inquest::collector
