// SPDX-License-Identifier: Apache-2.0
// Whether the collector would find CUPTI, and who else would hold it: before
// CUDA 13.3 one client a process.
#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "base/text.h"
#include "cli/doctor/checks.h"
#include "host/cupti_places.h"
#include "host/distributions.h"
#include "host/library_search.h"

namespace inquest::doctor {
namespace {

namespace fs = std::filesystem;

// The collector tries the places near the loaded libcudart first.
std::vector<std::string> Places(const Machine& machine) {
  std::vector<std::string> places;
  for (const Framework& framework : machine.frameworks) {
    for (const auto& [name, loaded] : framework.linker.loaded()) {
      if (name.starts_with("libcupti.so.")) places.push_back(loaded.path);
      if (!name.starts_with("libcudart.so")) continue;
      host::AddCuptiBeside(loaded.path.substr(0, loaded.path.rfind('/') + 1),
                           &places);
    }
  }
  host::AddUsualCupti(&places);
  return places;
}

std::string FindCupti(const Machine& machine) {
  for (const std::string& place : Places(machine)) {
    if (place.find('/') == place.npos) {
      std::string path = host::FindLibrary(place, machine.root);
      if (!path.empty()) return path;
    } else if (access(place.c_str(), R_OK) == 0) {
      return place;
    }
  }
  return {};
}

bool IsOurs(const std::string& path, const Machine& machine) {
  std::error_code error;
  return LastPart(path) == "libinquest_collector.so" ||
         (!machine.collector.empty() &&
          fs::equivalent(path, machine.collector, error));
}

std::string ToolBehind(const std::string& path) {
  const std::string_view file = LastPart(path);
  if (file.starts_with("libToolsInjection")) return "Nsight Systems";
  if (file.starts_with("libkineto")) return "libkineto";
  if (file.find("sanitizer") != file.npos) return "Compute Sanitizer";
  if (file.find("dcgm") != file.npos) return "DCGM";
  return "another tool";
}

// What the environment gives to another tool: "CUDA_INJECTION64_PATH=… (…)".
std::string HeldBy(const Machine& machine) {
  for (const char* name : {"CUDA_INJECTION64_PATH", "LD_PRELOAD"}) {
    const std::string value = Variable(name);
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::string path(rest.substr(0, rest.find_first_of(": ")));
      rest.remove_prefix(std::min(rest.size(), path.size() + 1));
      const bool preloaded = name == std::string_view("LD_PRELOAD");
      if (path.empty() || IsOurs(path, machine)) continue;
      if (preloaded && ToolBehind(path) == "another tool") continue;
      return fmt::format("{} ({}={})", ToolBehind(path), name, path);
    }
  }
  return {};
}

// Of the processes of this machine, those of tools that use CUPTI or counters.
std::vector<std::string> ToolsAtWork(const std::string& root) {
  constexpr std::string_view kTools[] = {"nsys", "nsys-launcher", "ncu",
                                         "nv-hostengine", "dcgm-exporter"};
  std::vector<std::string> found;
  DIR* processes = opendir((root + "/proc").c_str());
  if (processes == nullptr) return found;
  while (const dirent* entry = readdir(processes)) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
    std::string name =
        host::ReadFile(root + "/proc/" + entry->d_name + "/comm", 64);
    while (name.ends_with('\n')) name.pop_back();
    for (const std::string_view tool : kTools) {
      if (name == tool) {
        found.push_back(fmt::format("{} (pid {})", tool, entry->d_name));
      }
    }
  }
  closedir(processes);
  return found;
}

void CheckNvtx(const Machine& machine, Checks* checks) {
  const std::string path = Variable("NVTX_INJECTION64_PATH");
  if (path.empty() || IsOurs(path, machine)) return;
  checks->push_back(
      {"nvtx",
       State::kWarning,
       fmt::format("NVTX_INJECTION64_PATH={} takes the program's NVTX ranges, "
                   "so steps that it marks are not recorded",
                   path),
       "unset NVTX_INJECTION64_PATH",
       {{"path", path}}});
}

void CheckTools(const Machine& machine, Checks* checks) {
  const auto tools = ToolsAtWork(machine.root);
  if (tools.empty()) return;
  std::string names;
  for (const std::string& one : tools) {
    names.append(names.empty() ? "" : ", ").append(one);
  }
  checks->push_back(
      {"tools",
       State::kNote,
       names + " at work on this machine. A process has a CUPTI of its own, "
               "so this matters only for jobs that are started under them",
       "",
       {{"processes", tools}}});
}

}  // namespace

void CheckCupti(const Machine& machine, Checks* checks) {
  const std::string wanted = Variable("INQUEST_CUPTI");
  Check check{"cupti", State::kOk, "", "", {}};
  const std::string held = HeldBy(machine);
  const std::string path =
      wanted.empty() || wanted == "off" ? FindCupti(machine) : wanted;
  check.facts = {{"path", path}, {"held_by", held}};
  if (wanted == "off") {
    check.state = State::kWarning;
    check.text = "INQUEST_CUPTI=off: no memory of the device is recorded";
    check.next = "unset INQUEST_CUPTI";
  } else if (!held.empty()) {
    check.state = State::kWarning;
    check.text = "held by " + held +
                 ": the driver loads that instead of the collector, and no "
                 "memory of the device is recorded";
    check.next = "record without that tool, or unset the variable";
  } else if (path.empty() || access(path.c_str(), R_OK) != 0) {
    check.state = State::kProblem;
    check.text = path.empty()
                     ? "no libcupti is found: no memory of the device "
                       "can be recorded"
                     : "INQUEST_CUPTI names " + path + ", which cannot be read";
    check.next =
        "install it (pip install nvidia-cuda-cupti-cu12, or the toolkit's "
        "package cuda-cupti), or set INQUEST_CUPTI=FILE";
  } else {
    std::string version = host::VersionInFileName(path);
    if (version.empty()) version = host::VersionOfDistributionWith(path);
    check.text = path + (version.empty() ? "" : " (" + version + ")") +
                 ", held by no other tool";
    check.facts["version"] = version;
  }
  checks->push_back(std::move(check));
  CheckNvtx(machine, checks);
  CheckTools(machine, checks);
}

}  // namespace inquest::doctor
