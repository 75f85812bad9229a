// SPDX-License-Identifier: Apache-2.0
#include "collector/core/dlsym_hook.h"

#include <cstdint>
#include <cstring>

#include "collector/core/hook_assembly.h"
#include "collector/core/lifecycle.h"
#include "collector/core/thread_state.h"
#include "collector/cuda/cupti_hooks.h"
#include "collector/cuda/init_hook.h"
#include "collector/cudnn/cudnn_hooks.h"
#include "collector/process/modules.h"

extern "C" {

// Read and filled by the assembly below.
__attribute__((visibility("hidden"))) void* inquest_real_dlsym = nullptr;

__attribute__((visibility("hidden"))) void* inquest_find_dlsym() {
  void* found = inquest::collector::FindInLibc("dlsym");
  __atomic_store_n(&inquest_real_dlsym, found, __ATOMIC_RELEASE);
  return found;
}

// If `answered`: the address to return without calling the real dlsym.
struct HookAnswer {
  void* address;
  uint64_t answered;
};

// Only if the handle leads to a CUPTI, and not for libcupti itself.
static HookAnswer CuptiAnswer(void* handle, const char* name, void* caller) {
  using namespace inquest::collector;
  void* hook = CuptiHook(name);
  if (hook == nullptr || handle == RTLD_DEFAULT ||
      ModuleNameBegins(caller, "libcupti") ||
      RealDlsym(handle, name) == nullptr) {
    return {nullptr, 0};
  }
  return {hook, 1};
}

// Not for libcuda itself and CUPTI, which look each other's functions up.
static HookAnswer InitAnswer(void* handle, void* caller) {
  using namespace inquest::collector;
  if (ModuleNameBegins(caller, "libcuda.so") ||
      ModuleNameBegins(caller, "libcupti")) {
    return {nullptr, 0};
  }
  void* hook = InitHook(RealDlsym(handle, "cuInit"));
  return {hook, hook != nullptr ? 1u : 0u};
}

__attribute__((visibility("hidden"))) HookAnswer inquest_hook_for(
    void* handle, const char* name, void* caller) {
  using namespace inquest::collector;
  if (Inside() || handle == RTLD_NEXT) return {nullptr, 0};
  if (std::strncmp(name, "cupti", 5) == 0) {
    return CuptiAnswer(handle, name, caller);
  }
  // The CUDA runtime is about to start the driver.
  const bool starts = std::strcmp(name, "cuInit") == 0;
  if (starts || std::strncmp(name, "cuGetProcAddress", 16) == 0) {
    EnsureLoaded();
  }
  if (starts) return InitAnswer(handle, caller);
  const int index = CudnnHookIndex(name);
  if (index < 0 || IsCudnnModule(caller)) return {nullptr, 0};
  void* address = nullptr;
  const bool answered = AnswerDlsym(index, handle, caller, &address);
  return {address, answered ? 1u : 0u};
}

}  // extern "C"

// rdi: handle, rsi: name. Names that do not begin with "cu" are passed on at
// once, unless something was loaded since the last call. For others the
// arguments are saved on the stack, which is kept aligned; the answer comes
// back in rax (address) and rdx (answered).
asm(R"(
    .text
    .globl dlsym
    .type dlsym, @function
    .p2align 4
dlsym:
    .cfi_startproc
    cmpb $0, inquest_loads_pending(%rip)
    jne 4f
5:
    test %rsi, %rsi
    jz 1f
    cmpb $'c', (%rsi)
    jne 1f
    cmpb $'u', 1(%rsi)
    jne 1f
    mov (%rsp), %rdx
)" INQUEST_CALL_KEEPING_ARGUMENTS("inquest_hook_for") R"(
    test %rdx, %rdx
    jz 1f
    ret
1:
    mov inquest_real_dlsym(%rip), %rax
    test %rax, %rax
    jz 2f
    jmp *%rax
2:
)" INQUEST_CALL_KEEPING_ARGUMENTS("inquest_find_dlsym") R"(
    test %rax, %rax
    jz 3f
    jmp *%rax
3:
    ret
4:
)" INQUEST_CALL_KEEPING_ARGUMENTS("inquest_look_at_loads") R"(
    jmp 5b
    .cfi_endproc
    .size dlsym, . - dlsym
)");

namespace inquest::collector {

void* RealDlsym(void* handle, const char* name) {
  void* real = __atomic_load_n(&inquest_real_dlsym, __ATOMIC_ACQUIRE);
  if (real == nullptr) real = inquest_find_dlsym();
  if (real == nullptr) return nullptr;
  return reinterpret_cast<void* (*)(void*, const char*)>(real)(handle, name);
}

}  // namespace inquest::collector
