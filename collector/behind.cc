#include "collector/behind.h"

#include <dlfcn.h>

#include "collector/dlsym_hook.h"
#include "collector/modules.h"
#include "collector/thread_state.h"

namespace inquest::collector {

void* FindBehind(const char* name, const void* caller) {
  InsideScope inside;
  void* found = RealDlsym(RTLD_NEXT, name);
  if (found != nullptr && !IsOurs(found)) return found;
  void* handle = HandleOf(caller);
  found = handle == nullptr ? nullptr : RealDlsym(handle, name);
  return found == nullptr || IsOurs(found) ? nullptr : found;
}

}  // namespace inquest::collector
