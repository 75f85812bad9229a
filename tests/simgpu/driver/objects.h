// SPDX-License-Identifier: Apache-2.0
// The things behind CUDA's opaque driver handles, and the calling thread's
// context stack. Handles are pointers to these objects, as in the real driver.
//
// Used by all of driver/. A handle that was destroyed or never made is refused
// by its magic number where the memory is still readable; the real driver
// crashes there too. Objects are freed by their destroy call only.
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "core/device.h"

struct CUctx_st {
  static constexpr uint32_t kMagic = 0x43545831;
  uint32_t magic = kMagic;
  uint32_t uid = 0;
  simgpu::Device* device = nullptr;
  unsigned flags = 0;
  bool primary = false;
  uint64_t memory = 0;          // address of what the context itself takes
  std::atomic<int> error{0};    // sticky CUresult, 0 when healthy
  std::atomic<int> blocked{0};  // pushed somewhere, for cuCtxDestroy
};

struct CUstream_st {
  static constexpr uint32_t kMagic = 0x53545231;
  uint32_t magic = kMagic;
  uint32_t id = 0;
  CUcontext context = nullptr;
  unsigned flags = 0;
  int priority = 0;
};

struct CUevent_st {
  static constexpr uint32_t kMagic = 0x45565431;
  uint32_t magic = kMagic;
  CUcontext context = nullptr;
  unsigned flags = 0;
  uint64_t recorded_ns = 0;
};

namespace simgpu::driver {

inline constexpr uint32_t kDead = 0xdeadbeef;

// True when the driver was initialised by cuInit.
bool Initialised();
CUresult InitialisedOrError();

CUcontext Current();
void Push(CUcontext context);
CUcontext Pop();
void SetCurrent(CUcontext context);  // null pops all

template <class Object>
bool IsLive(const Object* object) {
  return object != nullptr && object->magic == Object::kMagic;
}

// Null and the two special handles mean the default streams.
bool IsStream(CUstream stream);
// A number for a valid stream, unique in the process.
uint32_t StreamId(CUstream stream);

}  // namespace simgpu::driver
