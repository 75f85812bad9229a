// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/driver_probe.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include "base/json_text.h"

namespace inquest::doctor {
namespace {

using nlohmann::json;

constexpr unsigned kMaxDevices = 64;

template <typename Function>
Function Find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

// NVML's names and layouts are from NVIDIA's NVML API reference.
struct NvmlMemory {
  unsigned long long total, free, used;
};

json NvmlDevice(void* library, void* device) {
  const auto get_name =
      Find<int (*)(void*, char*, unsigned)>(library, "nvmlDeviceGetName");
  const auto get_memory =
      Find<int (*)(void*, NvmlMemory*)>(library, "nvmlDeviceGetMemoryInfo");
  json one = json::object();
  char name[96] = {};
  NvmlMemory memory = {};
  if (get_name != nullptr && get_name(device, name, sizeof name) == 0) {
    one["name"] = name;
  }
  if (get_memory != nullptr && get_memory(device, &memory) == 0) {
    one["total_bytes"] = memory.total;
    one["used_bytes"] = memory.used;
  }
  return one;
}

json AskNvml(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {{"error", dlerror()}};
  const auto init = Find<int (*)()>(library, "nvmlInit_v2");
  const auto text = Find<const char* (*)(int)>(library, "nvmlErrorString");
  if (init == nullptr) return {{"error", path + " has no nvmlInit_v2"}};
  if (const int result = init(); result != 0) {
    return {{"error", text == nullptr ? "error " + std::to_string(result)
                                      : std::string(text(result))}};
  }
  json answer = {{"devices", json::array()}};
  char version[96] = {};
  const auto driver =
      Find<int (*)(char*, unsigned)>(library, "nvmlSystemGetDriverVersion");
  if (driver != nullptr && driver(version, sizeof version) == 0) {
    answer["driver"] = version;
  }
  const auto count = Find<int (*)(unsigned*)>(library, "nvmlDeviceGetCount_v2");
  const auto handle =
      Find<int (*)(unsigned, void**)>(library, "nvmlDeviceGetHandleByIndex_v2");
  unsigned devices = 0;
  if (count == nullptr || handle == nullptr || count(&devices) != 0) {
    return answer;
  }
  for (unsigned i = 0; i < devices && i < kMaxDevices; ++i) {
    void* device = nullptr;
    const int result = handle(i, &device);
    if (result == 0) {
      answer["devices"].push_back(NvmlDevice(library, device));
    } else {
      answer["devices"].push_back(
          {{"error", text == nullptr ? std::to_string(result) : text(result)}});
    }
  }
  return answer;
}

json AskCuda(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {{"error", dlerror()}};
  const auto init = Find<int (*)(unsigned)>(library, "cuInit");
  const auto version = Find<int (*)(int*)>(library, "cuDriverGetVersion");
  const auto count = Find<int (*)(int*)>(library, "cuDeviceGetCount");
  const auto name = Find<int (*)(int, const char**)>(library, "cuGetErrorName");
  if (init == nullptr || version == nullptr || count == nullptr) {
    return {{"error", path + " lacks functions of the driver"}};
  }
  if (const int result = init(0); result != 0) {
    const char* text = nullptr;
    if (name != nullptr) name(result, &text);
    return {
        {"result", result},
        {"error", text != nullptr ? text : "error " + std::to_string(result)}};
  }
  int number = 0;
  int devices = 0;
  version(&number);
  count(&devices);
  return {{"cuda", std::to_string(number / 1000) + "." +
                       std::to_string(number % 1000 / 10)},
          {"devices", devices}};
}

// The answer is a line of JSON.
void Tell(int fd, const std::string& path, json (*ask)(const std::string&)) {
  if (path.empty()) return;
  // The driver would load a tool for these, and it would start to work.
  unsetenv("CUDA_INJECTION64_PATH");
  unsetenv("NVTX_INJECTION64_PATH");
  const std::string line = JsonText(ask(path)) + "\n";
  [[maybe_unused]] const ssize_t n = write(fd, line.data(), line.size());
}

std::optional<json> AnswerOf(Helper* helper,
                             std::chrono::steady_clock::time_point deadline) {
  json answer = ParseJson(helper->AnswerUntil(deadline));
  if (!answer.is_object()) return {};
  return answer;
}

}  // namespace

DriverProbe::DriverProbe(const std::string& nvml, const std::string& libcuda)
    : nvml_([nvml](int fd) { Tell(fd, nvml, AskNvml); }),
      cuda_([libcuda](int fd) { Tell(fd, libcuda, AskCuda); }) {}

DriverAnswers DriverProbe::AnswersUntil(
    std::chrono::steady_clock::time_point deadline) {
  return {AnswerOf(&nvml_, deadline), AnswerOf(&cuda_, deadline)};
}

}  // namespace inquest::doctor
