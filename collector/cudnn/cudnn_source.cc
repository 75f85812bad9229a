// SPDX-License-Identifier: Apache-2.0
// cuDNN as a source: what the background thread does for it. The calls
// themselves are recorded by the wrappers (cudnn_hooks.h).
#include <string>

#include "collector/core/emit.h"
#include "collector/core/source.h"
#include "collector/cudnn/cudnn_backend.h"
#include "collector/cudnn/cudnn_beside.h"
#include "collector/cudnn/cudnn_descriptors.h"
#include "collector/cudnn/cudnn_hooks.h"
#include "collector/cudnn/cudnn_living.h"
#include "collector/cudnn/cudnn_operations.h"
#include "collector/cudnn/cudnn_parts.h"
#include "collector/process/library_versions.h"
#include "host/cudnn_files.h"

namespace inquest::collector {
namespace {

struct LoadedCudnn {
  Module library;        // libcudnn.so itself, once it is loaded
  std::string required;  // version that the first package with a pin requires
};
// Never freed: the background thread may use it until the process ends.
LoadedCudnn* g_loaded = nullptr;

bool NameBegins(const Module& module, std::string_view prefix) {
  return BaseName(module.path).substr(0, prefix.size()) == prefix;
}

// True if this module added information.
bool NoteModule(const Module& module, LoadedCudnn* loaded) {
  if (NameBegins(module, "libcudnn_")) RequestCudnnPartsCheck();
  if (NameBegins(module, "libcudnn.so") && loaded->library.path.empty()) {
    loaded->library = module;
    RecordCudnnBeside(module);
    return true;
  }
  if (!loaded->required.empty() || !IsInteresting(module.path)) return false;
  loaded->required = host::CudnnRequiredBy(module.path);
  return true;
}

trace::LibraryRecord RecordOf(const Module& library) {
  trace::LibraryRecord record;
  record.time_ns = MonotonicNs();
  record.base = library.base;
  record.size = library.end - library.base;
  record.name = BaseName(library.path);
  record.path = library.path;
  return record;
}

// A second record of the same library fills in what the first left empty, in
// any order.
void EmitRequiredVersion(const LoadedCudnn& loaded) {
  trace::LibraryRecord record = RecordOf(loaded.library);
  record.compiled_version = loaded.required;
  Emit(record);
}

// The first of its parts to be loaded knows the version of libcudnn.so.9.
void EmitVersionBeside(const Module& library) {
  if (library.path.empty()) return;
  const LibraryVersion found = VersionOf(library.path, library.base);
  if (found.source != "symbol") return;
  trace::LibraryRecord record = RecordOf(library);
  record.version = found.version;
  record.version_source = found.source;
  Emit(record);
}

void NoteLoaded(const std::vector<Module>& modules) {
  if (g_loaded == nullptr) g_loaded = new LoadedCudnn;
  for (const Module& module : modules) {
    if (NameBegins(module, "libcudnn_graph.so")) {
      EmitVersionBeside(g_loaded->library);
    }
    if (!NoteModule(module, g_loaded)) continue;
    if (g_loaded->library.path.empty() || g_loaded->required.empty()) continue;
    EmitRequiredVersion(*g_loaded);
  }
}

void ForgetCudnn() {
  g_loaded = nullptr;
  ForgetCudnnOperations();
  ForgetCudnnDescriptors();
  FreeCudnnRefusals();
  ForgetCudnnBackend();
  ForgetCudnnParts();
  ForgetCudnnCounts();
}

}  // namespace

constinit const Source kCudnnSource = {
    .name = "cudnn",
    .housekeep = [](const Config&) { RecordCudnnCounts(); },
    .note_loaded = NoteLoaded,
    .forget_in_child = ForgetCudnn,
};

}  // namespace inquest::collector
