// SPDX-License-Identifier: Apache-2.0
#include "cli/record/collector_path.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace inquest::record {
namespace {

namespace fs = std::filesystem;

constexpr char kLibrary[] = "libinquest_collector.so";

CollectorChoice CheckNamed(const std::string& path, const char* who) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (access(path.c_str(), R_OK) != 0) {
    return {{}, fmt::format("{} names {}: {}", who, path, strerror(errno))};
  }
  // The loader splits LD_PRELOAD at both characters and has no escape.
  if (absolute.native().find_first_of(": ") != std::string::npos) {
    return {{},
            fmt::format(
                "LD_PRELOAD cannot contain a path with a space or a colon: {}",
                absolute.native())};
  }
  return {absolute.native(), {}};
}

std::vector<fs::path> UsualPlaces() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path folder = executable.parent_path();
  std::vector<fs::path> places;
  for (const char* lib : {INQUEST_LIBDIR, "lib", "lib64"}) {
    places.push_back(folder / ".." / lib / "inquest" / kLibrary);
  }
  places.push_back(folder / ".." / "collector" / kLibrary);
  return places;
}

}  // namespace

CollectorChoice FindCollector(const std::string& wanted) {
  if (!wanted.empty()) return CheckNamed(wanted, "--collector");
  const char* variable = getenv("INQUEST_COLLECTOR");
  if (variable != nullptr && *variable != '\0') {
    return CheckNamed(variable, "INQUEST_COLLECTOR");
  }
  for (const fs::path& place : UsualPlaces()) {
    std::error_code error;
    const fs::path real = fs::canonical(place, error);
    if (!error) return CheckNamed(real.native(), "the installation");
  }
  return {
      {},
      fmt::format("{} is not beside the program; set INQUEST_COLLECTOR=FILE",
                  kLibrary)};
}

std::string PreloadValue(std::string_view collector,
                         std::string_view existing) {
  std::string value;
  auto add = [&value](std::string_view entry) {
    if (entry.empty()) return;
    if (!value.empty()) value += ':';
    value += entry;
  };
  const std::string_view runtime = INQUEST_SANITIZER_RUNTIME;
  add(runtime);
  add(collector);
  while (!existing.empty()) {
    const size_t end = existing.find_first_of(": ");
    const std::string_view entry = existing.substr(0, end);
    if (entry != collector && entry != runtime) add(entry);
    if (end == existing.npos) break;
    existing.remove_prefix(end + 1);
  }
  return value;
}

}  // namespace inquest::record
