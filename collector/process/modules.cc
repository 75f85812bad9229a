// SPDX-License-Identifier: Apache-2.0
#include "collector/process/modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "collector/core/dlopen_hook.h"
#include "collector/core/dlsym_hook.h"
#include "collector/core/guard.h"

namespace inquest::collector {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// The GNU build id in a segment of notes, as hexadecimal digits.
std::string BuildId(const char* at, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const size_t name_size = (size_t{note.n_namesz} + 3) & ~size_t{3};
    const size_t text_size = (size_t{note.n_descsz} + 3) & ~size_t{3};
    const size_t whole = sizeof note + name_size + text_size;
    if (whole > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(at + sizeof note, "GNU", 4) == 0) {
      std::string id;
      const char* bytes = at + sizeof note + name_size;
      for (size_t i = 0; i < std::min<size_t>(note.n_descsz, 64); ++i) {
        id += kHex[static_cast<unsigned char>(bytes[i]) >> 4];
        id += kHex[bytes[i] & 0xf];
      }
      return id;
    }
    at += whole;
    size -= whole;
  }
  return {};
}

Module ModuleOf(const dl_phdr_info* info) {
  Module module;
  module.path = info->dlpi_name;
  module.base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD) {
      module.end = std::max(module.end, begin + segment.p_memsz);
    } else if (segment.p_type == PT_NOTE && module.build_id.empty()) {
      module.build_id =
          BuildId(reinterpret_cast<const char*>(begin), segment.p_memsz);
    }
  }
  return module;
}

// No exception may pass through the C library, which holds the linker's lock.
int AddModule(dl_phdr_info* info, size_t, void* list) {
  bool added = false;
  WithoutThrowing([&] {
    static_cast<std::vector<Module>*>(list)->push_back(ModuleOf(info));
    added = true;
  });
  return added ? 0 : 1;
}

int TakeCount(dl_phdr_info* info, size_t, void* count) {
  *static_cast<uint64_t*>(count) = info->dlpi_adds;
  return 1;
}

// The file that contains `address`, by the linker's name for it; empty if
// unknown.
const char* FileOf(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr
             ? info.dli_fname
             : "";
}

}  // namespace

std::vector<Module> ListModules() {
  std::vector<Module> modules;
  modules.reserve(64);
  dl_iterate_phdr(AddModule, &modules);
  if (!modules.empty() && modules.front().path.empty()) {
    char executable[PATH_MAX];
    const ssize_t size =
        readlink("/proc/self/exe", executable, sizeof executable);
    if (size > 0) {
      modules.front().path.assign(executable, static_cast<size_t>(size));
    }
  }
  return modules;
}

uint64_t LoadCount() {
  uint64_t count = 0;
  dl_iterate_phdr(TakeCount, &count);
  return count;
}

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool ModuleNameBegins(const void* address, std::string_view prefix) {
  return BaseName(FileOf(address)).substr(0, prefix.size()) == prefix;
}

bool IsOurs(const void* address) {
  Dl_info theirs{};
  Dl_info ours{};
  return dladdr(address, &theirs) != 0 &&
         dladdr(reinterpret_cast<void*>(&AddModule), &ours) != 0 &&
         theirs.dli_fbase == ours.dli_fbase;
}

void* HandleOf(const void* address) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0 ||
      map == nullptr || map->l_name == nullptr || map->l_name[0] == '\0') {
    return nullptr;
  }
  return OpenLibrary(map->l_name, RTLD_NOLOAD | RTLD_LAZY);
}

void* HandleOfLoaded(std::string_view prefix) {
  for (const Module& module : ListModules()) {
    if (BaseName(module.path).substr(0, prefix.size()) != prefix) continue;
    void* handle = OpenLibrary(module.path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (handle != nullptr) return handle;
  }
  return nullptr;
}

}  // namespace inquest::collector
