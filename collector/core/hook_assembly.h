// SPDX-License-Identifier: Apache-2.0
// What our dlopen and dlsym share: both are written in assembly, so that they
// can jump to the real function with an unchanged stack.
#pragma once

#include <dlfcn.h>

// Calls `function` with the first two arguments kept; the stack is aligned.
#define INQUEST_CALL_KEEPING_ARGUMENTS(function) \
  "    push %rdi\n"                              \
  "    .cfi_adjust_cfa_offset 8\n"               \
  "    push %rsi\n"                              \
  "    .cfi_adjust_cfa_offset 8\n"               \
  "    sub $8, %rsp\n"                           \
  "    .cfi_adjust_cfa_offset 8\n"               \
  "    call " function                           \
  "\n"                                           \
  "    add $8, %rsp\n"                           \
  "    .cfi_adjust_cfa_offset -8\n"              \
  "    pop %rsi\n"                               \
  "    .cfi_adjust_cfa_offset -8\n"              \
  "    pop %rdi\n"                               \
  "    .cfi_adjust_cfa_offset -8\n"

namespace inquest::collector {

// The C library's own, behind ours. The version was 2.2.5 in libdl and became
// 2.34 when it moved into libc.
inline void* FindInLibc(const char* name) {
  void* found = dlvsym(RTLD_NEXT, name, "GLIBC_2.34");
  return found != nullptr ? found : dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5");
}

}  // namespace inquest::collector
