// SPDX-License-Identifier: Apache-2.0
// Calls that are counted instead of recorded one by one; see cudnn_hooks.h.
#include "collector/core/drain.h"
#include "collector/core/emit.h"
#include "collector/cudnn/cudnn_hooks.h"

namespace inquest::collector {

void CudnnCall::Count() {
  const int64_t duration = end_ns_ - begin_ns_;
  slot_.calls.fetch_add(1, std::memory_order_relaxed);
  slot_.total_ns.fetch_add(duration, std::memory_order_relaxed);
  int64_t most = slot_.max_ns.load(std::memory_order_relaxed);
  while (duration > most && !slot_.max_ns.compare_exchange_weak(
                                most, duration, std::memory_order_relaxed)) {
  }
}

void RecordCudnnCounts() {
  for (int i = 0; i < g_cudnn_slot_count; ++i) {
    CudnnSlot& slot = g_cudnn_slots[i];
    const int64_t calls = slot.calls.exchange(0, std::memory_order_relaxed);
    if (calls == 0) continue;
    MakeRoom();
    Emit(trace::CudnnStatRecord{
        calls, slot.total_ns.exchange(0, std::memory_order_relaxed),
        slot.max_ns.exchange(0, std::memory_order_relaxed), 0, slot.name});
  }
}

void ForgetCudnnCounts() {
  for (int i = 0; i < g_cudnn_slot_count; ++i) {
    g_cudnn_slots[i].calls.store(0);
    g_cudnn_slots[i].total_ns.store(0);
    g_cudnn_slots[i].max_ns.store(0);
  }
}

}  // namespace inquest::collector
