// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/linker.h"

#include <deque>
#include <utility>

#include "base/text.h"
#include "cli/doctor/check.h"
#include "host/library_search.h"

namespace inquest::doctor {
namespace {

constexpr size_t kMaxLibraries = 2000;

struct Pending {
  std::string path;
  std::string rpaths;  // of those that needed it
};

}  // namespace

std::string Linker::Find(const std::string& name, const ElfFile& caller) const {
  if (name.find('/') != name.npos) return name;
  for (const std::string& list :
       {caller.rpath, Variable("LD_LIBRARY_PATH"), caller.runpath}) {
    std::string path = list.empty() ? "" : host::FindInFolders(list, name);
    if (!path.empty()) return path;
  }
  return host::FindInSystem(name, root_);
}

void Linker::Load(const std::string& path) {
  std::deque<Pending> pending{{path, ""}};
  loaded_.try_emplace(std::string(LastPart(path)), Loaded{path, ""});
  // Breadth first, as the linker does.
  while (!pending.empty() && loaded_.size() < kMaxLibraries) {
    const Pending now = pending.front();
    pending.pop_front();
    ElfFile file = ReadElf(now.path);
    // Those of the callers count only where the library has no DT_RUNPATH.
    if (file.runpath.empty() && !now.rpaths.empty()) {
      file.rpath += (file.rpath.empty() ? "" : ":") + now.rpaths;
    }
    for (const std::string& name : file.needed) {
      const auto [at, is_new] = loaded_.try_emplace(name);
      if (!is_new) continue;
      at->second = {Find(name, file), now.path};
      if (!at->second.path.empty()) {
        pending.push_back({at->second.path, file.rpath});
      }
    }
  }
}

}  // namespace inquest::doctor
