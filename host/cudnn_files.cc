// SPDX-License-Identifier: Apache-2.0
#include "host/cudnn_files.h"

#include <dirent.h>

#include <cstdio>
#include <span>

#include "base/text.h"

namespace inquest::host {
namespace {

constexpr const char* kParts9[] = {"adv",
                                   "cnn",
                                   "engines_precompiled",
                                   "engines_runtime_compiled",
                                   "graph",
                                   "heuristic",
                                   "ops"};
constexpr const char* kParts8[] = {"adv_infer", "adv_train", "cnn_infer",
                                   "cnn_train", "ops_infer", "ops_train"};

std::span<const char* const> PartNames(std::string_view file) {
  if (file.starts_with("libcudnn.so.9")) return kParts9;
  if (file.starts_with("libcudnn.so.8")) return kParts8;
  return {};
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

std::vector<std::string> PartsOfCudnn(std::string_view file) {
  constexpr std::string_view kWhole = "libcudnn";
  const std::string_view ending =
      file.substr(0, std::string_view("libcudnn.so.9").size());
  std::vector<std::string> parts;
  for (const char* name : PartNames(file)) {
    parts.push_back("libcudnn_" + std::string(name) +
                    std::string(ending.substr(kWhole.size())));
  }
  return parts;
}

std::string CudnnVersionInData(uint64_t data) {
  const auto part = [&](int index) { return data >> (8 * index) & 0xff; };
  if (part(2) < 8) return {};
  return std::to_string(part(2)) + "." + std::to_string(part(1)) + "." +
         std::to_string(part(0));
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

}  // namespace inquest::host
