// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/cudnn_living.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "collector/core/pair_cache.h"

namespace inquest::collector {
namespace {

using State = CudnnLife::State;

constinit PairCache<1u << 14> g_lives;  // by descriptor

uint64_t KeyOf(const void* descriptor) {
  return reinterpret_cast<uintptr_t>(descriptor);
}

uint64_t Pack(const CudnnLife& life) {
  return static_cast<uint64_t>(life.state) | uint64_t{life.refused} << 8 |
         static_cast<uint64_t>(life.kind) << 16;
}

void Keep(const void* descriptor, const CudnnLife& life) {
  if (descriptor == nullptr) return;
  // What is not kept must not be found as it was before.
  g_lives.Drop(KeyOf(descriptor));
  g_lives.Keep(KeyOf(descriptor), Pack(life));
}

// The last refused setters. Refusals are rare: a thread that finds another one
// here leaves its own out.
struct Refusal {
  const void* descriptor;
  char text[240];
};
constexpr size_t kRefusals = 64;
Refusal g_refusals[kRefusals];
size_t g_next_refusal = 0;
std::atomic_flag g_refusals_busy = ATOMIC_FLAG_INIT;

class RefusalTable {
 public:
  RefusalTable() : mine_(!g_refusals_busy.test_and_set()) {}
  ~RefusalTable() {
    if (mine_) g_refusals_busy.clear();
  }
  RefusalTable(const RefusalTable&) = delete;
  RefusalTable& operator=(const RefusalTable&) = delete;

  // Null: another thread is here.
  Refusal* Place(const void* descriptor) {
    Refusal* found = Find(descriptor);
    if (found != nullptr || !mine_) return found;
    return &g_refusals[g_next_refusal++ % kRefusals];
  }
  Refusal* Find(const void* descriptor) {
    if (!mine_) return nullptr;
    Refusal* end = g_refusals + kRefusals;
    Refusal* at = std::find_if(g_refusals, end, [&](const Refusal& one) {
      return one.descriptor == descriptor;
    });
    return at == end ? nullptr : at;
  }

 private:
  const bool mine_;
};

}  // namespace

void CudnnDescriptorMade(CudnnOperand::Kind kind, const void* descriptor) {
  Keep(descriptor, {State::kUnset, false, kind});
}

void CudnnDescriptorDestroying(const void* descriptor) {
  CudnnLife life = LifeOfCudnnDescriptor(descriptor);
  life.state = State::kDestroyed;
  Keep(descriptor, life);
}

void CudnnDescriptorSet(CudnnOperand::Kind kind, const void* descriptor) {
  const CudnnLife life = LifeOfCudnnDescriptor(descriptor);
  if (life.state == State::kSet && !life.refused && life.kind == kind) return;
  Keep(descriptor, {State::kSet, false, kind});
}

void CudnnDescriptorRefused(const void* descriptor, const char* function,
                            std::string_view arguments) {
  CudnnLife life = LifeOfCudnnDescriptor(descriptor);
  if (life.state != State::kUnset && life.state != State::kSet) return;
  life.refused = true;
  Keep(descriptor, life);
  RefusalTable table;
  Refusal* refusal = table.Place(descriptor);
  if (refusal == nullptr) return;
  refusal->descriptor = descriptor;
  std::snprintf(refusal->text, sizeof refusal->text, "%s refused%s%.*s",
                function, arguments.empty() ? "" : " ",
                static_cast<int>(arguments.size()), arguments.data());
}

CudnnLife LifeOfCudnnDescriptor(const void* descriptor) {
  uint64_t packed = 0;
  if (descriptor == nullptr || !g_lives.Find(KeyOf(descriptor), &packed)) {
    return {};
  }
  return {static_cast<State>(packed & 0xff), (packed >> 8 & 1) != 0,
          static_cast<CudnnOperand::Kind>(packed >> 16 & 0xff)};
}

std::string_view CopyCudnnRefusal(const void* descriptor, char* to,
                                  size_t size) {
  RefusalTable table;
  const Refusal* refusal = table.Find(descriptor);
  if (refusal == nullptr || size == 0) return {};
  std::snprintf(to, size, "%s", refusal->text);
  return to;
}

// The descriptors themselves live on in the child.
void FreeCudnnRefusals() {
  g_refusals_busy.clear();
}

}  // namespace inquest::collector
