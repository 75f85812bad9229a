// SPDX-License-Identifier: Apache-2.0
#include "collector/core/dlopen_hook.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "collector/core/dlsym_hook.h"
#include "collector/core/hook_assembly.h"
#include "collector/core/session.h"
#include "collector/core/thread_state.h"
#include "collector/process/modules.h"
#include "collector/process/watched.h"

namespace inquest::collector {
namespace {

std::atomic<bool> g_allowed{false};
std::atomic<bool> g_looking{false};
// How many objects had ever been loaded at the last look.
std::atomic<uint64_t> g_loads_seen{0};

struct Look {
  uint64_t seen = 0;   // loads at the last look
  uint64_t index = 0;  // of the object
  uint64_t loads = 0;
  bool found = false;
};

// Objects are listed in the order of loading, without those unloaded since.
int LookAt(dl_phdr_info* info, size_t, void* data) {
  auto* look = static_cast<Look*>(data);
  look->loads = info->dlpi_adds;
  const bool may_be_new = look->index + info->dlpi_subs >= look->seen;
  ++look->index;
  if (may_be_new && IsWatched(info->dlpi_name)) look->found = true;
  return look->found || look->loads == look->seen ? 1 : 0;
}

bool FindsWatched() {
  Look look;
  look.seen = g_loads_seen.load();
  dl_iterate_phdr(LookAt, &look);
  g_loads_seen.store(look.loads);
  return look.found;
}

}  // namespace

void* OpenLibrary(const char* file, int mode) {
  using Open = void* (*)(const char*, int);
  static const auto open =
      reinterpret_cast<Open>(RealDlsym(RTLD_DEFAULT, "dlopen"));
  return open == nullptr ? nullptr : open(file, mode);
}

void AllowLooking() {
  g_allowed.store(true);
}

void LookAtLoads() {
  if (Current() != nullptr || !g_allowed.load() || g_looking.exchange(true)) {
    return;
  }
  const bool found = FindsWatched();
  g_looking.store(false);
  if (found) EnsureSession();
}

void LeaveLoadsToParent() {
  if (Current() != nullptr) g_loads_seen.store(LoadCount());
}

}  // namespace inquest::collector

extern "C" {

// Read and filled by the assembly below.
__attribute__((visibility("hidden"))) void* inquest_real_dlopen = nullptr;
__attribute__((visibility("hidden"))) uint8_t inquest_loads_pending = 0;

__attribute__((visibility("hidden"))) void inquest_look_at_loads() {
  __atomic_store_n(&inquest_loads_pending, 0, __ATOMIC_RELAXED);
  if (!inquest::collector::Inside()) inquest::collector::LookAtLoads();
}

// Returns the real dlopen.
__attribute__((visibility("hidden"))) void* inquest_note_load(
    const char* file) {
  using namespace inquest::collector;
  void* real = __atomic_load_n(&inquest_real_dlopen, __ATOMIC_ACQUIRE);
  if (real == nullptr) {
    real = FindInLibc("dlopen");
    __atomic_store_n(&inquest_real_dlopen, real, __ATOMIC_RELEASE);
  }
  if (file == nullptr || Inside()) return real;
  inquest_look_at_loads();
  __atomic_store_n(&inquest_loads_pending, 1, __ATOMIC_RELAXED);
  if (g_allowed.load() && Current() == nullptr && IsDriverLibrary(file)) {
    EnsureSession();
  }
  return real;
}

}  // extern "C"

// rdi: file, rsi: mode; both are kept for the real dlopen.
asm(R"(
    .text
    .globl dlopen
    .type dlopen, @function
    .p2align 4
dlopen:
    .cfi_startproc
)" INQUEST_CALL_KEEPING_ARGUMENTS("inquest_note_load") R"(
    jmp *%rax
    .cfi_endproc
    .size dlopen, . - dlopen
)");
