// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/cudnn_parts.h"

#include <dirent.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/text.h"
#include "collector/core/dlopen_hook.h"
#include "collector/core/dlsym_hook.h"
#include "collector/core/emit.h"
#include "collector/core/seen_table.h"
#include "collector/core/thread_state.h"
#include "collector/cudnn/cudnn_hooks.h"

namespace inquest::collector {
namespace internal {
std::atomic<bool> g_cudnn_parts_check_requested{false};
}

namespace {

constexpr std::string_view kPrefix = "libcudnn_";

constinit SeenTable<64> g_checked;  // by load address

// libcudnn_ops_infer.so.8 has cudnnOpsInferVersionCheck.
std::string CheckOf(std::string_view file) {
  std::string name = "cudnn";
  bool capital = true;
  for (const char c :
       file.substr(kPrefix.size(), file.find('.') - kPrefix.size())) {
    if (c != '_') {
      name += static_cast<char>(
          capital ? std::toupper(static_cast<unsigned char>(c)) : c);
    }
    capital = c == '_';
  }
  return name + "VersionCheck";
}

void Check(const Module& part) {
  const std::string function = CheckOf(BaseName(part.path));
  void* handle = OpenLibrary(part.path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr) return;
  void* found = RealDlsym(handle, function.c_str());
  Dl_info info{};
  // The libraries it depends on have one too.
  if (found != nullptr && dladdr(found, &info) != 0 &&
      reinterpret_cast<uintptr_t>(info.dli_fbase) == part.base) {
    const int result = reinterpret_cast<int (*)()>(found)();
    Emit(trace::LibraryCheckRecord{MonotonicNs(), part.base, result, part.path,
                                   function, CudnnStatusName(result)});
  }
  dlclose(handle);
}

}  // namespace

void CheckCudnnParts() {
  if (!internal::g_cudnn_parts_check_requested.exchange(false)) return;
  InsideScope inside;
  for (const Module& module : ListModules()) {
    if (BaseName(module.path).substr(0, kPrefix.size()) != kPrefix) continue;
    if (g_checked.Enter(module.base).is_new) Check(module);
  }
}

void ForgetCudnnParts() {
  g_checked.Forget();
}

}  // namespace inquest::collector
