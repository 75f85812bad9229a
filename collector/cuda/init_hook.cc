// SPDX-License-Identifier: Apache-2.0
#include "collector/cuda/init_hook.h"

#include <atomic>

#include "collector/core/drain.h"
#include "collector/core/errors.h"
#include "collector/core/session.h"
#include "collector/core/thread_state.h"
#include "collector/cuda/cuda_api.h"

namespace inquest::collector {
namespace {

using Init = CUresult (*)(unsigned);

constexpr int64_t kNever = -1;

std::atomic<Init> g_real_init{nullptr};
std::atomic<int64_t> g_last_init{kNever};

CUresult WatchedInit(unsigned flags) {
  EnsureSession();
  const CUresult result = g_real_init.load()(flags);
  g_last_init.store(result);
  if (result == CUDA_SUCCESS || Current() == nullptr) return result;
  InsideScope inside;
  NoteApiError({"driver", "cuInit", result, DriverErrorName(result),
                DriverErrorText(result), -1, false});
  return result;
}

}  // namespace

void* InitHook(void* real) {
  if (real == nullptr) return nullptr;
  g_real_init.store(reinterpret_cast<Init>(real));
  return reinterpret_cast<void*>(&WatchedInit);
}

InitResult LastInit() {
  const int64_t last = g_last_init.load();
  return {last != kNever, last == kNever ? 0 : static_cast<int32_t>(last)};
}

}  // namespace inquest::collector
