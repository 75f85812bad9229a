// SPDX-License-Identifier: Apache-2.0
#include "host/distributions.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace inquest::host {
namespace {

constexpr size_t kMaxRecord = 1u << 20;  // RECORD lists every file
constexpr std::string_view kInfo = ".dist-info";
constexpr std::string_view kSite = "-packages/";

struct Distribution {
  std::string name;
  std::string version;
  std::string info;  // the folder
};

std::vector<Distribution> DistributionsIn(const std::string& site) {
  std::vector<Distribution> all;
  DIR* directory = opendir(site.c_str());
  if (directory == nullptr) return all;
  while (const dirent* entry = readdir(directory)) {
    const std::string_view file = entry->d_name;
    const size_t dash = file.find('-');
    const size_t end = file.rfind(kInfo);
    if (dash == file.npos || end == file.npos || end < dash) continue;
    all.push_back({std::string(file.substr(0, dash)),
                   std::string(file.substr(dash + 1, end - dash - 1)),
                   site + "/" + std::string(file)});
  }
  closedir(directory);
  return all;
}

// torch/lib/libc10.so is from torch, nvidia/cudnn/lib/libcudnn.so.9 from
// nvidia_cudnn_cu12.
bool IsNamedAfter(const Distribution& one, std::string_view folder) {
  return one.name == folder ||
         (one.name.starts_with(folder) &&
          std::string_view(one.name).substr(folder.size()).starts_with("_cu"));
}

// The line of a file in RECORD: path,sha256=…,bytes. Empty if it has none.
// `file` is relative to the site-packages.
std::string LineOf(const Distribution& one, const std::string& file) {
  const std::string record = "\n" + ReadFile(one.info + "/RECORD", kMaxRecord);
  const size_t at = record.find("\n" + file + ",");
  if (at == record.npos) return {};
  return record.substr(at + 1, record.find('\n', at + 1) - at - 1);
}

bool ListsFile(const Distribution& one, const std::string& file) {
  return !LineOf(one, file).empty();
}

// Without "." and "..", which the linker keeps in paths that are relative to
// another library.
std::string NormalizedPath(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (part != "." && part != ".." && !part.empty()) parts.push_back(part);
  }
  std::string straight;
  for (const std::string_view part : parts) straight.append("/").append(part);
  return straight;
}

bool HasLine(const std::string& text, std::string_view wanted) {
  const std::string framed = "\n" + text + "\n";
  return framed.find("\n" + std::string(wanted) + "\n") != framed.npos;
}

}  // namespace

std::string ReadFile(const std::string& path, size_t most) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {};
  std::string text(most, '\0');
  const ssize_t got = read(fd, text.data(), text.size());
  close(fd);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

std::string VersionOfDistributionWith(const std::string& library) {
  const std::string path = NormalizedPath(library);
  const size_t at = path.find(kSite);
  if (at == path.npos) return {};
  const std::string site = path.substr(0, at + kSite.size() - 1);
  const std::string file = path.substr(site.size() + 1);
  std::string folder = file.substr(0, file.find('/'));
  const bool nvidia = folder == "nvidia";
  if (nvidia) {
    const size_t next = folder.size() + 1;
    folder += "_" + file.substr(next, file.find('/', next) - next);
  }
  const std::vector<Distribution> all = DistributionsIn(site);
  for (const Distribution& one : all) {
    if (IsNamedAfter(one, folder)) return one.version;
  }
  // Since CUDA 13 all of them share the folder nvidia/cu13.
  for (const Distribution& one : all) {
    if (nvidia && one.name.starts_with("nvidia_") && ListsFile(one, file)) {
      return one.version;
    }
  }
  return {};
}

ListedFile ListedBy(const std::string& library) {
  ListedFile listed;
  const std::string path = NormalizedPath(library);
  const size_t at = path.find(kSite);
  if (at == path.npos) return listed;
  const std::string site = path.substr(0, at + kSite.size() - 1);
  for (const Distribution& one : DistributionsIn(site)) {
    if (!one.name.starts_with("nvidia_")) continue;
    const std::string line = LineOf(one, path.substr(site.size() + 1));
    if (line.empty()) continue;
    listed.version = one.version;
    const std::string bytes = line.substr(line.rfind(',') + 1);
    if (!bytes.empty()) listed.bytes = std::strtoll(bytes.c_str(), nullptr, 10);
    break;
  }
  return listed;
}

std::string VersionOfDistributionOf(const std::string& site,
                                    std::string_view folder) {
  for (const Distribution& one : DistributionsIn(site)) {
    const std::string folders =
        ReadFile(one.info + "/top_level.txt", kMaxPackageFileBytes);
    if (HasLine(folders, folder)) return one.version;
  }
  return {};
}

}  // namespace inquest::host
