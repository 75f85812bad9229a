// SPDX-License-Identifier: Apache-2.0
// Python's frameworks: whether what they need is there, fits the driver, and
// whether their cuDNN is of one piece.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <set>
#include <utility>

#include "analyzer/facts/store/store.h"
#include "base/database.h"
#include "cli/doctor/checks.h"
#include "host/cudnn_files.h"
#include "host/distributions.h"
#include "host/library_search.h"

namespace inquest::doctor {
namespace {

std::string FolderOf(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

// Not by what the driver brings: that is said of the driver.
bool IsDrivers(const std::string& name) {
  return name.starts_with("libcuda.so") || name.starts_with("libnvidia-");
}

std::vector<std::string> MissingOf(const Framework& framework) {
  std::vector<std::string> missing;
  for (const auto& [name, loaded] : framework.linker.loaded()) {
    if (!loaded.path.empty() || IsDrivers(name)) continue;
    missing.push_back(
        fmt::format("{} (for {})", name, host::FileName(loaded.needed_by)));
  }
  return missing;
}

// The least driver for programs of this CUDA, by the analyzer's own table;
// empty: it fits, or neither is known.
std::string DriverNeeded(const std::string& cuda, const std::string& driver) {
  if (cuda.empty() || driver.empty()) return {};
  auto store = facts::Store::Create();
  if (!store.ok() || !store->DefineFacts().ok()) return {};
  auto row = store->db().Prepare(
      "SELECT least_driver FROM cuda_release WHERE cuda = "
      "?1 AND version_number(?2) < version_number(least_driver)");
  if (!row.ok()) return {};
  const size_t dot = cuda.find('.');
  const size_t end = dot == cuda.npos ? cuda.npos : cuda.find('.', dot + 1);
  row->BindAll(cuda.substr(0, end), driver);
  return row->Step() ? std::string(row->Text(0)) : "";
}

std::string Joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) {
    all.append(all.empty() ? "" : ", ").append(word);
  }
  return all;
}

std::string VersionOfFile(const std::string& path) {
  std::string version = host::VersionOfDistributionWith(path);
  return version.empty() ? host::VersionInFileName(path) : version;
}

// libcudnn.so.9 only finds the others; its version is that of the graph part.
std::string VersionOfCudnn(const std::string& path) {
  std::string part = path;
  if (const size_t at = part.rfind("libcudnn.so.9"); at != part.npos) {
    part = FolderOf(part) + "libcudnn_graph.so.9";
  }
  const auto data = ReadExported(part, host::kCudnnVersionData);
  std::string version = data ? host::CudnnVersionInData(*data) : "";
  return version.empty() ? VersionOfFile(path) : version;
}

nlohmann::ordered_json LibrariesOf(const Framework& framework) {
  auto libraries = nlohmann::ordered_json::object();
  for (const auto& [name, loaded] : framework.linker.loaded()) {
    const bool nvidia =
        name.starts_with("libcu") || name.starts_with("libnccl") ||
        name.starts_with("libnv") || name == host::FileName(framework.library);
    if (!nvidia || loaded.path.empty()) continue;
    libraries[name] = {{"path", loaded.path},
                       {"version", VersionOfFile(loaded.path)}};
  }
  return libraries;
}

Check CheckOne(const Framework& framework, const Machine& machine) {
  const host::Package& package = framework.package;
  Check check{package.name, State::kOk, "", "", {}};
  check.text = package.version.empty() ? package.path : package.version;
  if (!package.cuda.empty()) check.text += " for CUDA " + package.cuda;
  if (framework.library.empty()) {
    check.state = State::kWarning;
    check.text += ": a build without GPU support";
    check.next = "install the framework's build for CUDA";
    return check;
  }
  check.facts = {{"path", package.path},
                 {"version", package.version},
                 {"cuda", package.cuda},
                 {"libraries", LibrariesOf(framework)}};
  if (const auto missing = MissingOf(framework); !missing.empty()) {
    check.state = State::kProblem;
    check.text += "; libraries that it needs are not found: " + Joined(missing);
    check.next =
        "install them beside the framework (pip install --force-reinstall " +
        package.name + "), or add their folder to LD_LIBRARY_PATH";
  }
  if (const std::string least = DriverNeeded(package.cuda, machine.driver);
      !least.empty()) {
    check.state = State::kProblem;
    check.text += fmt::format(
        "; programs of CUDA {} need driver {} or newer, "
        "this is {}",
        package.cuda, least, machine.driver);
    check.next =
        "update the driver, or install the framework's build for an older CUDA";
  }
  return check;
}

struct CudnnParts {
  std::vector<std::string> missing;
  std::vector<std::string> elsewhere;  // paths beside another cuDNN
  std::vector<std::string> changed;    // not the file that its package lists
  std::map<std::string, std::string> versions;  // by name, as far as known
};

CudnnParts PartsOf(const std::string& whole, const Linker& linker) {
  CudnnParts parts;
  const ElfFile caller = ReadElf(whole);
  for (const std::string& name : host::PartsOfCudnn(host::FileName(whole))) {
    const std::string path = linker.Find(name, caller);
    const std::string beside = FolderOf(whole) + name;
    struct stat here {
    }, there{};
    if (path.empty()) {
      parts.missing.push_back(name);
    } else if (stat(path.c_str(), &here) == 0 &&
               (stat(beside.c_str(), &there) != 0 ||
                here.st_ino != there.st_ino || here.st_dev != there.st_dev)) {
      parts.elsewhere.push_back(path);
    }
    const auto data = ReadExported(path, host::kCudnnVersionData);
    if (data) parts.versions[name] = host::CudnnVersionInData(*data);
    const host::ListedFile listed = host::ListedBy(beside);
    if (listed.bytes >= 0 && stat(beside.c_str(), &there) == 0 &&
        there.st_size != listed.bytes) {
      parts.changed.push_back(beside);
    }
  }
  return parts;
}

// "libcudnn_graph.so.9 9.19.0, libcudnn_ops.so.9 9.10.2"; empty if all are of
// one release.
std::string DifferentVersions(const CudnnParts& parts) {
  std::set<std::string> versions;
  std::vector<std::string> all;
  for (const auto& [name, version] : parts.versions) {
    if (version.empty()) continue;
    versions.insert(version);
    all.push_back(name + " " + version);
  }
  return versions.size() < 2 ? "" : Joined(all);
}

void JudgeParts(const CudnnParts& parts, const std::string& whole,
                Check* check) {
  if (!parts.missing.empty()) {
    check->state = State::kProblem;
    check->text += "; parts are missing: " + Joined(parts.missing);
    check->next = "reinstall cuDNN: the parts belong beside libcudnn.so";
  }
  if (!parts.elsewhere.empty()) {
    check->state = State::kProblem;
    check->text +=
        "; parts would come from another folder: " + Joined(parts.elsewhere) +
        " (CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH if they differ)";
    check->next =
        "the dynamic linker finds them by LD_LIBRARY_PATH or "
        "/etc/ld.so.conf.d: "
        "have only one cuDNN there, with all its parts beside " +
        whole;
  }
  if (const std::string versions = DifferentVersions(parts);
      !versions.empty()) {
    check->state = State::kProblem;
    check->text += "; parts are of different releases: " + versions;
  }
  if (!parts.changed.empty() && check->state == State::kOk) {
    check->state = State::kWarning;
    check->text +=
        "; not the file that its package installed: " + Joined(parts.changed);
    check->next = "pip install --force-reinstall --no-deps of that package";
  }
}

Check CudnnCheck(const std::string& whole, const Linker& linker,
                 const std::string& who, const std::string& wanted) {
  const std::string version = VersionOfCudnn(whole);
  Check check{"cudnn", State::kOk, "", "", {}};
  check.text = fmt::format("{}{} for {}", whole,
                           version.empty() ? "" : " (" + version + ")", who);
  const CudnnParts parts = PartsOf(whole, linker);
  check.facts = {{"path", whole},
                 {"version", version},
                 {"wanted", wanted},
                 {"missing", parts.missing},
                 {"elsewhere", parts.elsewhere},
                 {"parts", parts.versions}};
  JudgeParts(parts, whole, &check);
  if (!wanted.empty() && !version.empty() && !version.starts_with(wanted) &&
      check.state == State::kOk) {
    check.state = State::kWarning;
    check.text += "; its package asks for " + wanted;
    check.next =
        "pip install --force-reinstall --no-deps the release it asks "
        "for, or check LD_LIBRARY_PATH";
  }
  return check;
}

}  // namespace

void CheckFrameworks(const Machine& machine, Checks* checks) {
  if (machine.python.program.empty()) {
    checks->push_back({"python",
                       State::kNote,
                       "no python3 in PATH answered; frameworks were not "
                       "looked for",
                       "",
                       {}});
    return;
  }
  Check python{
      "python",
      State::kOk,
      fmt::format("{} ({})", machine.python.program, machine.python.version),
      "",
      {{"program", machine.python.program},
       {"version", machine.python.version},
       {"path", machine.python.folders}}};
  if (machine.frameworks.empty()) {
    python.state = State::kNote;
    python.text +=
        ": neither PyTorch, TensorFlow nor JAX with CUDA is "
        "installed for it";
  }
  checks->push_back(std::move(python));
  for (const Framework& framework : machine.frameworks) {
    checks->push_back(CheckOne(framework, machine));
  }
}

void CheckCudnn(const Machine& machine, Checks* checks) {
  std::set<std::string> seen;
  for (const Framework& framework : machine.frameworks) {
    if (framework.library.empty()) continue;
    const std::string whole = CudnnOf(framework);
    if (whole.empty() || !seen.insert(whole).second) continue;
    checks->push_back(CudnnCheck(whole, framework.linker,
                                 framework.package.name,
                                 framework.wants_cudnn));
  }
  if (!seen.empty()) return;
  const Linker linker(machine.root);
  for (const char* name : {"libcudnn.so.9", "libcudnn.so.8"}) {
    const std::string whole = host::FindLibrary(name, machine.root);
    if (whole.empty()) continue;
    checks->push_back(CudnnCheck(whole, linker, "programs linked with it", ""));
    return;
  }
  checks->push_back({"cudnn",
                     State::kNote,
                     "none is found; programs that need it do not start, and "
                     "others do not miss it",
                     "",
                     {}});
}

}  // namespace inquest::doctor
