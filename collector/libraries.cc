#include "collector/libraries.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "collector/c10_hooks.h"
#include "collector/drain.h"
#include "collector/emit.h"
#include "collector/modules.h"
#include "collector/python_api.h"
#include "collector/versions.h"

namespace inquest::collector {
namespace {

constexpr size_t kMostLibraries = 4000;

struct Seen {
  uint64_t loads = 0;
  std::set<std::pair<std::string, uintptr_t>> modules;
};

// Leaked on purpose: the drain may use it until the very end of the process.
Seen& TheSeen() {
  static auto* seen = new Seen;
  return *seen;
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

}  // namespace

void ScanLibraries(ScanReason reason) {
  Seen& seen = TheSeen();
  const uint64_t loads = LoadCount();
  if (reason == ScanReason::kStart) seen.modules.clear();
  if (reason == ScanReason::kChange && loads == seen.loads) return;
  seen.loads = loads;
  LookForPython();
  for (const Module& module : ListModules()) {
    if (module.path.empty() || seen.modules.size() >= kMostLibraries) continue;
    if (seen.modules.emplace(module.path, module.base).second) Write(module);
  }
}

}  // namespace inquest::collector
