// SPDX-License-Identifier: Apache-2.0
// The driver, by its files and its own words, and the GPUs.
#include <fmt/format.h>

#include "base/units.h"
#include "cli/doctor/checks.h"
#include "host/driver_files.h"
#include "host/library_search.h"

namespace inquest::doctor {
namespace {

using nlohmann::json;

std::string TextIn(const std::optional<json>& answer, const char* key) {
  if (!answer || !answer->contains(key)) return {};
  const json& value = (*answer)[key];
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string FirstOf(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (!text.empty()) return text;
  }
  return {};
}

// What the files say, before anyone was asked.
struct DriverFiles {
  std::string library;  // libcuda's release
  std::string module;   // the kernel module's
  host::DeviceFiles devices;
};

DriverFiles Look(const Machine& machine) {
  DriverFiles files;
  const std::string number = host::VersionInFileName(machine.libcuda);
  if (host::IsDriverNumber(number)) files.library = number;
  files.module = host::KernelModuleVersion(machine.root);
  files.devices = host::LookForDeviceFiles(machine.root);
  return files;
}

Check NoDriver(const DriverFiles& files) {
  Check check{"driver", State::kProblem, "", "", {}};
  if (files.module.empty() && files.devices.count == 0) {
    check.text =
        "there is no NVIDIA driver and no GPU on this machine: no "
        "libcuda.so.1, "
        "no kernel module, no /dev/nvidia*";
    check.next =
        "run this on the machine (or in the container) where the job will run; "
        "in a container the runtime brings the driver: docker run --gpus all";
    return check;
  }
  check.text = fmt::format(
      "the kernel has the driver{}{}, but libcuda.so.1 is not found",
      files.module.empty() ? "" : " ", files.module);
  check.next =
      "in a container, start it with the GPUs (docker run --gpus all); "
      "elsewhere install the driver's user part, e.g. libcuda1";
  return check;
}

std::string Versions(const Machine& machine, const DriverFiles& files) {
  std::string text = FirstOf(
      {files.library, files.module, TextIn(machine.answers.nvml, "driver")});
  if (text.empty()) text = "of unknown release";
  const std::string cuda = TextIn(machine.answers.cuda, "cuda");
  return cuda.empty() ? text : text + ", serves CUDA up to " + cuda;
}

// Sets state and text by what cuInit said.
void JudgeCuda(const std::optional<json>& cuda, Check* check) {
  if (!cuda) {
    check->state = State::kProblem;
    check->text += "; cuInit did not answer in time";
    check->next =
        "look for Xid and NVRM lines in the kernel log (dmesg -T); a driver "
        "that wakes up slowly is quick with nvidia-persistenced";
  } else if (cuda->contains("error")) {
    check->state = State::kProblem;
    check->text += "; cuInit failed: " + TextIn(cuda, "error");
    check->next = "nvidia-smi and the kernel log (dmesg -T) say more";
  }
}

}  // namespace

void CheckDriver(Machine* machine, Checks* checks) {
  const DriverFiles files = Look(*machine);
  machine->driver = FirstOf(
      {files.module, files.library, TextIn(machine->answers.nvml, "driver")});
  if (machine->libcuda.empty()) {
    checks->push_back(NoDriver(files));
    return;
  }
  Check check{"driver", State::kOk, Versions(*machine, files), "", {}};
  check.facts = {{"libcuda", machine->libcuda},
                 {"libcuda_version", files.library},
                 {"kernel_version", files.module},
                 {"cuda", TextIn(machine->answers.cuda, "cuda")}};
  if (!files.library.empty() && !files.module.empty() &&
      files.library != files.module) {
    check.state = State::kProblem;
    check.text =
        fmt::format("libcuda is of driver {}, the kernel module of {} ({})",
                    files.library, files.module, machine->libcuda);
    check.next =
        "after an update of the driver restart the machine; in a container let "
        "the runtime bring the host's libcuda, none of the image";
  } else {
    JudgeCuda(machine->answers.cuda, &check);
  }
  if (check.state != State::kOk && files.devices.count > 0 &&
      !files.devices.error.empty()) {
    check.text += fmt::format("; none of the {} device files may be opened: {}",
                              files.devices.count, files.devices.error);
    check.next =
        "device files belong to the group video or to the job's cgroup: ask "
        "for the GPUs when the job is submitted, or docker run --gpus all";
  }
  checks->push_back(std::move(check));
}

namespace {

std::string Described(const json& device) {
  if (device.contains("error")) return device.value("error", "?");
  std::string text = device.value("name", "a GPU");
  if (device.contains("total_bytes")) {
    text += fmt::format(", {}, {} of it in use",
                        FormatBytes(device.value("total_bytes", int64_t{0})),
                        FormatBytes(device.value("used_bytes", int64_t{0})));
  }
  return text;
}

// Empty, or why the environment shows a job fewer GPUs.
std::string Hidden() {
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"}) {
    const char* value = getenv(name);
    if (value == nullptr) continue;
    const std::string text = value;
    if (text.empty() || text == "-1" || text == "void" || text == "none" ||
        text == "NoDevFiles") {
      return fmt::format("{}='{}' hides every GPU", name, text);
    }
  }
  return {};
}

Check FromNvml(const json& devices) {
  Check check{"gpus", State::kOk, "", "", {}};
  std::string first;
  for (const json& device : devices) {
    if (device.contains("error")) check.state = State::kProblem;
    if (first.empty() || device.contains("error")) first = Described(device);
  }
  check.text = devices.size() == 1
                   ? "1: " + first
                   : fmt::format("{}: {}{}", devices.size(), first,
                                 check.state == State::kOk ? ", …" : "");
  check.facts = {{"devices", devices}};
  if (check.state == State::kProblem) {
    check.next = "nvidia-smi and the kernel log (dmesg -T) name the lost GPU";
  }
  return check;
}

}  // namespace

void CheckDevices(const Machine& machine, Checks* checks) {
  const auto& nvml = machine.answers.nvml;
  Check check{"gpus", State::kProblem, "none can be seen", "", {}};
  if (nvml && nvml->contains("devices") && !(*nvml)["devices"].empty()) {
    check = FromNvml((*nvml)["devices"]);
  } else if (nvml && nvml->contains("error")) {
    check.text = "NVML says: " + TextIn(nvml, "error");
    check.next =
        "nvidia-smi should say the same; see the kernel log (dmesg -T)";
  } else if (const int64_t count = host::LookForDeviceFiles(machine.root).count;
             count > 0) {
    check.state = State::kWarning;
    check.text =
        fmt::format("{} by their device files; {}", count,
                    machine.nvml.empty() ? "no libnvidia-ml.so.1 to ask"
                                         : "NVML gave no answer in time");
    check.next =
        "without NVML, memory of other processes and Xid errors are not "
        "recorded";
  } else if (machine.libcuda.empty()) {
    return;  // said of the driver
  } else if (machine.answers.cuda &&
             machine.answers.cuda->contains("devices")) {
    const int count = machine.answers.cuda->value("devices", 0);
    check.state = count > 0 ? State::kWarning : State::kProblem;
    check.text =
        fmt::format("{}, says the driver; {}", count,
                    machine.nvml.empty() ? "no libnvidia-ml.so.1"
                                         : "NVML gave no answer in time");
    check.next =
        "without NVML, memory of other processes and Xid errors are not "
        "recorded";
  } else if (!machine.nvml.empty() && !nvml) {
    check.text = "NVML gave no answer in time";
    check.next = "look for Xid and NVRM lines in the kernel log (dmesg -T)";
  }
  if (const std::string hidden = Hidden(); !hidden.empty()) {
    check.state = State::kProblem;
    check.text += "; " + hidden;
    check.next = "unset it, or name GPUs in it: CUDA_VISIBLE_DEVICES=0";
  }
  checks->push_back(std::move(check));
}

}  // namespace inquest::doctor
