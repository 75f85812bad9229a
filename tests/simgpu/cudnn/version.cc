// SPDX-License-Identifier: Apache-2.0
#include "cudnn/version.h"

#include <dlfcn.h>

#include <cctype>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "cudnn/report.h"
#include "cudnn/version_text.h"

namespace simgpu::cudnn {
namespace {

struct Checked {
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  std::string reason;
};

// "ops" → "cudnnOpsVersionCheck".
std::string CheckName(const std::string& name) {
  std::string capital = name;
  capital[0] = static_cast<char>(std::toupper(capital[0]));
  return "cudnn" + capital + "VersionCheck";
}

Checked Load(const std::string& name) {
  const std::string file = "libcudnn_" + name + ".so.9";
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  using Check = cudnnStatus_t (*)();
  auto* check =
      library ? reinterpret_cast<Check>(dlsym(library, CheckName(name).c_str()))
              : nullptr;
  if (check == nullptr) {
    return {CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED,
            file + " could not be loaded"};
  }
  const cudnnStatus_t status = check();
  if (status == CUDNN_STATUS_SUCCESS) return {};
  return {status, "the version of " + file +
                      " differs from that of the libraries it depends on"};
}

}  // namespace

size_t MainVersion() {
  static const size_t version =
      VersionFrom("SIMGPU_CUDNN_VERSION", CUDNN_VERSION);
  return version;
}

cudnnStatus_t CheckSubLibrary(const char* name, const char** reason) {
  static std::mutex mutex;
  static std::map<std::string, Checked> checked;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = checked.try_emplace(name);
  if (is_new) at->second = Load(name);
  *reason = at->second.reason.c_str();
  return at->second.status;
}

namespace {

cudnnStatus_t CheckAndReport(const Call& call, const char* name) {
  const char* reason = nullptr;
  const cudnnStatus_t status = CheckSubLibrary(name, &reason);
  return status == CUDNN_STATUS_SUCCESS ? status : call.Fail(status, reason);
}

}  // namespace
}  // namespace simgpu::cudnn

extern "C" {

size_t cudnnGetVersion() {
  return simgpu::cudnn::MainVersion();
}

size_t cudnnGetCudartVersion() {
  return CUDART_VERSION;
}

size_t cudnnGetMaxDeviceVersion() {
  return CUDNN_MAX_DEVICE_VERSION;
}

cudnnStatus_t cudnnGetProperty(libraryPropertyType type, int* value) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, value == nullptr, CUDNN_STATUS_BAD_PARAM);
  const int version = static_cast<int>(simgpu::cudnn::MainVersion());
  *value = type == MAJOR_VERSION   ? version / 10000
           : type == MINOR_VERSION ? version / 100 % 100
                                   : version % 100;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGraphVersionCheck() {
  SIMGPU_CUDNN_CALL(call);
  return simgpu::cudnn::CheckAndReport(call, "graph");
}

cudnnStatus_t cudnnOpsVersionCheck() {
  SIMGPU_CUDNN_CALL(call);
  return simgpu::cudnn::CheckAndReport(call, "ops");
}

cudnnStatus_t cudnnCnnVersionCheck() {
  SIMGPU_CUDNN_CALL(call);
  return simgpu::cudnn::CheckAndReport(call, "cnn");
}

cudnnStatus_t cudnnAdvVersionCheck() {
  SIMGPU_CUDNN_CALL(call);
  return simgpu::cudnn::CheckAndReport(call, "adv");
}

}  // extern "C"
