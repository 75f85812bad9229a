// SPDX-License-Identifier: Apache-2.0
// Python's frameworks: whether what they need is there and fits the driver.
#include <fmt/format.h>

#include <utility>

#include "analyzer/facts/store/store.h"
#include "base/database.h"
#include "base/text.h"
#include "cli/doctor/checks.h"
#include "host/library_search.h"

namespace inquest::doctor {
namespace {

// Not by what the driver brings: that is said of the driver.
bool IsDrivers(const std::string& name) {
  return name.starts_with("libcuda.so") || name.starts_with("libnvidia-");
}

std::vector<std::string> MissingOf(const Framework& framework) {
  std::vector<std::string> missing;
  for (const auto& [name, loaded] : framework.linker.loaded()) {
    if (!loaded.path.empty() || IsDrivers(name)) continue;
    missing.push_back(
        fmt::format("{} (for {})", name, LastPart(loaded.needed_by)));
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

nlohmann::ordered_json LibrariesOf(const Framework& framework) {
  auto libraries = nlohmann::ordered_json::object();
  for (const auto& [name, loaded] : framework.linker.loaded()) {
    const bool nvidia =
        name.starts_with("libcu") || name.starts_with("libnccl") ||
        name.starts_with("libnv") || name == LastPart(framework.library);
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

}  // namespace inquest::doctor
