// SPDX-License-Identifier: Apache-2.0
// The dlsym that the process sees. It answers with our hook where a host asks
// for a cuDNN function (TensorFlow and JAX find cuDNN that way) or for one of
// the two of CUPTI that are hooked (cupti_hooks.h), and otherwise
// jumps to the real one with the stack as it was, so that RTLD_NEXT and
// RTLD_DEFAULT still see the true caller. It never answers libcudnn itself,
// whose thin shim looks up its own sub-libraries and would call us for ever.
// Works before constructors have run: sanitizers ask that early.
#pragma once

#include <dlfcn.h>

namespace inquest::collector {

// The C library's own. What it finds for RTLD_NEXT is what follows us.
void* RealDlsym(void* handle, const char* name);

// The same, for a function pointer. False, and null, where there is none.
template <typename Function>
bool FindSymbol(void* library, const char* name, Function** to) {
  *to = reinterpret_cast<Function*>(RealDlsym(library, name));
  return *to != nullptr;
}

}  // namespace inquest::collector
