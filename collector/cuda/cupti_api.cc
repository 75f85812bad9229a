// SPDX-License-Identifier: Apache-2.0
#include "collector/cuda/cupti_api.h"

#include <dlfcn.h>

#include <string_view>
#include <vector>

#include "collector/core/dlopen_hook.h"
#include "collector/core/dlsym_hook.h"
#include "collector/process/modules.h"
#include "host/cupti_places.h"

namespace inquest::collector {
namespace {

void AddPathsNearRuntime(std::vector<std::string>* paths) {
  for (const Module& module : ListModules()) {
    const std::string_view file = BaseName(module.path);
    if (file.substr(0, 12) != "libcudart.so" &&
        file.substr(0, 12) != "libnvrtc.so.") {
      continue;
    }
    const std::string directory =
        module.path.substr(0, module.path.size() - file.size());
    host::AddCuptiBeside(directory, paths);
  }
}

std::vector<std::string> PathsOfCupti(const std::string& wanted) {
  if (!wanted.empty()) return {wanted};
  std::vector<std::string> paths;
  for (const Module& module : ListModules()) {
    if (BaseName(module.path).substr(0, 12) == "libcupti.so.") {
      paths.push_back(module.path);
    }
  }
  AddPathsNearRuntime(&paths);
  host::AddUsualCupti(&paths);
  return paths;
}

bool FillCuptiApi(void* library, CuptiApi* api) {
  FindSymbol(library, "cuptiGetVersion", &api->get_version);
  FindSymbol(library, "cuptiGetResultString", &api->get_result_string);
  FindSymbol(library, "cuptiGetContextId", &api->get_context_id);
  FindSymbol(library, "cuptiSubscribe_v2", &api->subscribe_named);
  return FindSymbol(library, "cuptiSubscribe", &api->subscribe) &&
         FindSymbol(library, "cuptiUnsubscribe", &api->unsubscribe) &&
         FindSymbol(library, "cuptiEnableCallback", &api->enable_callback) &&
         FindSymbol(library, "cuptiEnableDomain", &api->enable_domain);
}

const char* PathOf(void* symbol) {
  Dl_info info{};
  return dladdr(symbol, &info) != 0 ? info.dli_fname : "libcupti";
}

}  // namespace

bool LoadCupti(const std::string& wanted, CuptiApi* api, std::string* why) {
  for (const std::string& path : PathsOfCupti(wanted)) {
    void* library = OpenLibrary(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    if (FillCuptiApi(library, api)) {
      api->path = PathOf(reinterpret_cast<void*>(api->subscribe));
      return true;
    }
    *why = "'" + path + "' lacks functions of CUPTI's callback interface";
    dlclose(library);
    return false;
  }
  *why = wanted.empty() ? "no libcupti found (set INQUEST_CUPTI to its path)"
                        : "cannot load '" + wanted + "'";
  return false;
}

}  // namespace inquest::collector
