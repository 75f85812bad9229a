// SPDX-License-Identifier: Apache-2.0
// Whether the cuDNN that programs would use is of one piece: all parts there,
// beside it, and of one release.
#include <fmt/format.h>
#include <sys/stat.h>

#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "cli/doctor/checks.h"
#include "host/cudnn_files.h"
#include "host/distributions.h"
#include "host/library_search.h"

namespace inquest::doctor {
namespace {

std::string FolderOf(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
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

struct CudnnParts {
  std::vector<std::string> missing;
  std::vector<std::string> elsewhere;  // paths beside another cuDNN
  std::vector<std::string> changed;    // not the file that its package lists
  std::map<std::string, std::string> versions;  // by name, as far as known
};

CudnnParts PartsOf(const std::string& whole, const Linker& linker) {
  CudnnParts parts;
  const ElfFile caller = ReadElf(whole);
  for (const std::string& name : host::PartsOfCudnn(LastPart(whole))) {
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
