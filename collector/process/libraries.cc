#include "collector/process/libraries.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "collector/core/drain.h"
#include "collector/core/emit.h"
#include "collector/cudnn/cudnn_parts.h"
#include "collector/process/library_versions.h"
#include "collector/process/modules.h"
#include "collector/process/packages.h"
#include "collector/python/python_api.h"
#include "collector/torch/c10_hooks.h"

namespace inquest::collector {
namespace {

constexpr size_t kMostLibraries = 4000;

struct Seen {
  uint64_t loads = 0;
  Module cudnn;                // libcudnn.so itself, once it is there
  std::string cudnn_required;  // by the first package that says so
  std::set<std::pair<std::string, uintptr_t>> modules;
  std::set<std::string> packages;  // their folders
};

// Leaked on purpose: the drain may use it until the very end of the process.
Seen& TheSeen() {
  static auto* seen = new Seen;
  return *seen;
}

bool Begins(const Module& module, std::string_view prefix) {
  return BaseName(module.path).substr(0, prefix.size()) == prefix;
}

// A second record adds what the first left empty, in whichever order the two
// were loaded.
void NoteCudnn(const Module& module, Seen* seen) {
  if (Begins(module, "libcudnn_")) WantCudnnPartsChecked();
  if (Begins(module, "libcudnn.so") && seen->cudnn.path.empty()) {
    seen->cudnn = module;
  } else if (seen->cudnn_required.empty() && IsInteresting(module.path)) {
    seen->cudnn_required = CudnnRequiredBy(module.path);
  } else {
    return;
  }
  if (seen->cudnn.path.empty() || seen->cudnn_required.empty()) return;
  trace::LibraryRecord record;
  record.time_ns = MonotonicNs();
  record.base = seen->cudnn.base;
  record.size = seen->cudnn.end - seen->cudnn.base;
  record.name = BaseName(seen->cudnn.path);
  record.path = seen->cudnn.path;
  record.compiled_version = seen->cudnn_required;
  Emit(record);
}

void Write(const Module& module) {
  LibraryVersion version;
  if (IsInteresting(module.path)) version = VersionOf(module.path, module.base);
  trace::LibraryRecord record;
  record.time_ns = MonotonicNs();
  record.base = module.base;
  record.size = module.end - module.base;
  record.name = BaseName(module.path);
  record.path = module.path;
  record.version = version.version;
  record.version_source = version.source;
  record.build_id = module.build_id;
  MakeRoom();
  Emit(record);
  NoteC10(module);
}

void WritePackages(const Module& module, std::set<std::string>* seen) {
  for (const Package& package : PackagesOf(module.path)) {
    if (!seen->insert(package.path).second) continue;
    MakeRoom();
    Emit(trace::PackageRecord{MonotonicNs(), package.name, package.version,
                              package.source, package.cuda, package.cudnn,
                              package.path});
  }
}

}  // namespace

void ScanLibraries(ScanReason reason) {
  Seen& seen = TheSeen();
  const uint64_t loads = LoadCount();
  if (reason == ScanReason::kStart) seen = Seen();
  if (reason == ScanReason::kChange && loads == seen.loads) return;
  seen.loads = loads;
  LookForPython();
  for (const Module& module : ListModules()) {
    if (module.path.empty() || seen.modules.size() >= kMostLibraries) continue;
    if (!seen.modules.emplace(module.path, module.base).second) continue;
    Write(module);
    NoteCudnn(module, &seen);
    WritePackages(module, &seen.packages);
  }
}

}  // namespace inquest::collector
