// SPDX-License-Identifier: Apache-2.0
// Records every object mapped into the process when it is first seen, with
// path, address and build id, so that recorded stacks can be symbolised
// elsewhere; for the libraries that matter to verdicts also the version, and
// for frameworks what their Python packages say (packages.h). Background thread
// only.
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collector/core/drain.h"
#include "collector/core/emit.h"
#include "collector/core/source.h"
#include "collector/process/library_versions.h"
#include "collector/process/modules.h"
#include "host/packages.h"

namespace inquest::collector {
namespace {

constexpr size_t kMaxLibraries = 4000;

struct Seen {
  uint64_t loads = 0;
  std::set<std::pair<std::string, uintptr_t>> modules;
  std::set<std::string> packages;  // their folders
};
// Never freed: the background thread may use it until the process ends.
Seen* g_seen_modules = nullptr;

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
}

void WritePackages(const Module& module, std::set<std::string>* seen) {
  for (const host::Package& package : host::PackagesOf(module.path)) {
    if (!seen->insert(package.path).second) continue;
    MakeRoom();
    Emit(trace::PackageRecord{MonotonicNs(), package.name, package.version,
                              package.source, package.cuda, package.cudnn,
                              package.path});
  }
}

std::vector<Module> NewModules(Seen* seen) {
  std::vector<Module> fresh;
  for (Module& module : ListModules()) {
    if (module.path.empty() || seen->modules.size() >= kMaxLibraries) continue;
    if (!seen->modules.emplace(module.path, module.base).second) continue;
    fresh.push_back(std::move(module));
  }
  return fresh;
}

// Does nothing unless a library was loaded since the last time.
void Scan() {
  if (g_seen_modules == nullptr) g_seen_modules = new Seen;
  const uint64_t loads = LoadCount();
  if (loads == g_seen_modules->loads) return;
  g_seen_modules->loads = loads;
  const std::vector<Module> fresh = NewModules(g_seen_modules);
  for (const Source* source : Sources()) {
    if (source->note_loaded != nullptr) source->note_loaded(fresh);
  }
  for (const Module& module : fresh) {
    Write(module);
    WritePackages(module, &g_seen_modules->packages);
  }
}

}  // namespace

constinit const Source kLibrariesSource = {
    .name = "libraries",
    .start_in_background = Scan,
    .housekeep = [](const Config&) { Scan(); },
    .forget_in_child = [] { g_seen_modules = nullptr; },
};

}  // namespace inquest::collector
