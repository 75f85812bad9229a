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

// Splits a path into the folder of packages (…/site-packages/) and the name
// below it (torch).
bool SplitPackage(const std::string& path, std::string* site,
                  std::string* name) {
  constexpr std::string_view kPackages = "-packages/";
  const size_t at = path.find(kPackages);
  if (at == std::string::npos) return false;
  const size_t begin = at + kPackages.size();
  *site = path.substr(0, begin);
  *name = path.substr(begin, path.find('/', begin) - begin);
  return *name != "nvidia";
}

// The METADATA of a package's .dist-info folder; empty if there is none.
std::string MetadataOf(const std::string& site, const std::string& name) {
  DIR* directory = opendir(site.c_str());
  if (directory == nullptr) return {};
  std::string found;
  while (const dirent* entry = readdir(directory)) {
    const std::string_view file = entry->d_name;
    const size_t dash = file.find('-');
    if (file.substr(0, dash) == name &&
        file.find(".dist-info") != std::string_view::npos) {
      found = site + entry->d_name + "/METADATA";
      break;
    }
  }
  closedir(directory);
  return found;
}

// The first three numbers after "==" in a line that requires cuDNN.
std::string Pinned(std::string_view line) {
  if (line.find("Requires-Dist: nvidia-cudnn-cu") != 0) return {};
  const size_t at = line.find("==");
  if (at == std::string_view::npos) return {};
  const std::string_view version = line.substr(at + 2);
  int dots = 0;
  size_t end = 0;
  for (; end < version.size(); ++end) {
    const bool dot = version[end] == '.';
    if (dot && ++dots == 3) break;
    if (!dot && !IsDigit(version[end])) break;
  }
  return std::string(version.substr(0, dots >= 2 ? end : 0));
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

std::string CudnnRequiredBy(const std::string& library) {
  std::string site, name;
  if (!SplitPackage(library, &site, &name)) return {};
  const std::string path = MetadataOf(site, name);
  FILE* file = path.empty() ? nullptr : std::fopen(path.c_str(), "re");
  if (file == nullptr) return {};
  std::string version;
  char line[512];
  while (version.empty() && std::fgets(line, sizeof line, file) != nullptr) {
    version = Pinned(line);
  }
  std::fclose(file);
  return version;
}

}  // namespace inquest::collector
