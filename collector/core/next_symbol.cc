// SPDX-License-Identifier: Apache-2.0
#include "collector/core/next_symbol.h"

#include <dlfcn.h>

#include "collector/core/dlsym_hook.h"
#include "collector/core/thread_state.h"
#include "collector/process/modules.h"

namespace inquest::collector {

void* FindNextSymbol(const char* name, const void* caller) {
  InsideScope inside;
  void* found = RealDlsym(RTLD_NEXT, name);
  if (found != nullptr && !IsOurs(found)) return found;
  void* handle = HandleOf(caller);
  found = handle == nullptr ? nullptr : RealDlsym(handle, name);
  return found == nullptr || IsOurs(found) ? nullptr : found;
}

}  // namespace inquest::collector
