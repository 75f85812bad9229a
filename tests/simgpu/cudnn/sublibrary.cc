// SPDX-License-Identifier: Apache-2.0
// One sub-library of the simulated cuDNN, compiled once for each with
// SIMGPU_SUB_NAME (ops), SIMGPU_SUB_CHECK (cudnnOpsVersionCheck) and
// SIMGPU_SUB_VERSION (the exported word the real one has). Its version comes
// from SIMGPU_CUDNN_OPS_VERSION or SIMGPU_CUDNN_VERSION; its check succeeds if
// libcudnn_graph has the same version, and that of libcudnn_graph if the main
// library has.
#include <cudnn.h>
#include <dlfcn.h>

#include <cstring>

#include "cudnn/version_text.h"

namespace {

// The word encodes 9.19.0 as 0x091300, as in the real files.
size_t Encode(size_t version) {
  return version / 10000 << 16 | version / 100 % 100 << 8 | version % 100;
}

size_t MainVersion() {
  return simgpu::cudnn::VersionFrom("SIMGPU_CUDNN_VERSION", CUDNN_VERSION);
}

size_t OwnVersion() {
  return simgpu::cudnn::VersionFrom(
      "SIMGPU_CUDNN_" SIMGPU_SUB_VARIABLE "_VERSION", MainVersion());
}

size_t DependedVersion() {
  if (std::strcmp(SIMGPU_SUB_VARIABLE, "GRAPH") == 0) {
    return Encode(MainVersion());
  }
  void* graph = dlopen("libcudnn_graph.so.9", RTLD_NOW | RTLD_LOCAL);
  if (graph == nullptr) return 0;
  const void* word = dlsym(graph, "cudnn_graph_version");
  return word ? *static_cast<const size_t*>(word) : 0;
}

}  // namespace

extern "C" {

size_t SIMGPU_SUB_VERSION = Encode(OwnVersion());

cudnnStatus_t SIMGPU_SUB_CHECK() {
  return SIMGPU_SUB_VERSION == DependedVersion()
             ? CUDNN_STATUS_SUCCESS
             : CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH;
}

}  // extern "C"
