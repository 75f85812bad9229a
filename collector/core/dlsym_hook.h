// SPDX-License-Identifier: Apache-2.0
// The dlsym that the process sees. It returns our hook if a host looks up a
// cuDNN function (TensorFlow and JAX find cuDNN that way), one of the hooked
// functions of CUPTI (cupti_hooks.h) or cuInit (init_hook.h), and otherwise
// jumps to the real dlsym with an unchanged stack, so that RTLD_NEXT and
// RTLD_DEFAULT still see the true caller. It never answers libcudnn itself,
// whose thin shim looks up its own sub-libraries and would call us for ever.
// Works before constructors have run: sanitizers call it that early.
#pragma once

#include <dlfcn.h>

namespace inquest::collector {

// The C library's dlsym. For RTLD_NEXT it finds what follows this library.
void* RealDlsym(void* handle, const char* name);

// The same for a function pointer. Returns false and sets null if there is
// none.
template <typename Function>
bool FindSymbol(void* library, const char* name, Function** to) {
  *to = reinterpret_cast<Function*>(RealDlsym(library, name));
  return *to != nullptr;
}

}  // namespace inquest::collector
