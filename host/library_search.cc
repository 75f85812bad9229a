// SPDX-License-Identifier: Apache-2.0
#include "host/library_search.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/text.h"
#include "host/distributions.h"

namespace inquest::host {
namespace {

constexpr size_t kMaxCacheBytes = 2u << 20;
constexpr const char* kFolders[] = {"/lib/x86_64-linux-gnu",
                                    "/usr/lib/x86_64-linux-gnu",
                                    "/lib64",
                                    "/usr/lib64",
                                    "/lib",
                                    "/usr/lib"};

// glibc's sysdeps/generic/dl-cache.h: the header, then entries whose texts are
// offsets from the header. An older cache may come before it.
constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
struct CacheHeader {
  char magic[20];
  uint32_t libraries;
  uint32_t text_bytes;
  uint32_t unused[5];
};
struct CacheEntry {
  int32_t flags;
  uint32_t name;
  uint32_t path;
  uint32_t os_version;
  uint64_t capabilities;
};

bool Exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

std::string_view TextAt(std::string_view cache, uint32_t offset) {
  if (offset >= cache.size()) return {};
  const std::string_view rest = cache.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

std::string InCache(std::string_view file, const std::string& name,
                    const std::string& root) {
  const size_t at = file.find(kMagic);
  if (at == file.npos || file.size() - at < sizeof(CacheHeader)) return {};
  const std::string_view cache = file.substr(at);
  CacheHeader header;
  std::memcpy(&header, cache.data(), sizeof header);
  for (uint32_t i = 0; i < header.libraries; ++i) {
    const size_t begin = sizeof header + size_t{i} * sizeof(CacheEntry);
    if (begin + sizeof(CacheEntry) > cache.size()) break;
    CacheEntry entry;
    std::memcpy(&entry, cache.data() + begin, sizeof entry);
    if (TextAt(cache, entry.name) != name) continue;
    std::string path = root + std::string(TextAt(cache, entry.path));
    if (Exists(path)) return path;
  }
  return {};
}

}  // namespace

std::string FindInFolders(std::string_view list, const std::string& name) {
  while (!list.empty()) {
    const size_t end = list.find_first_of(":;");
    const std::string_view folder = list.substr(0, end);
    std::string path = std::string(folder.empty() ? "." : folder) + "/" + name;
    if (Exists(path)) return path;
    if (end == list.npos) break;
    list.remove_prefix(end + 1);
  }
  return {};
}

std::string FindInSystem(const std::string& name, const std::string& root) {
  std::string path =
      InCache(ReadFile(root + "/etc/ld.so.cache", kMaxCacheBytes), name, root);
  for (const char* folder : kFolders) {
    if (!path.empty()) break;
    std::string here = root + folder + "/" + name;
    if (Exists(here)) path = std::move(here);
  }
  return path;
}

std::string FindLibrary(const std::string& name, const std::string& root) {
  const char* list = getenv("LD_LIBRARY_PATH");
  std::string path = list == nullptr ? "" : FindInFolders(list, name);
  return path.empty() ? FindInSystem(name, root) : path;
}

std::string VersionInFileName(const std::string& path) {
  char real[PATH_MAX];
  const bool resolved = realpath(path.c_str(), real) != nullptr;
  const std::string_view file =
      LastPart(resolved ? std::string_view(real) : std::string_view(path));
  const size_t at = file.find(".so.");
  if (at == std::string_view::npos) return {};
  const std::string_view version = file.substr(at + 4);
  if (version.find('.') == std::string_view::npos) return {};
  if (version.find_first_not_of("0123456789.") != std::string_view::npos) {
    return {};
  }
  return std::string(version);
}

}  // namespace inquest::host
