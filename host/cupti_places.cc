// SPDX-License-Identifier: Apache-2.0
#include "host/cupti_places.h"

#include <cstdlib>

namespace inquest::host {
namespace {

constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12",
                                  "libcupti.so.11.8", "libcupti.so.11.2",
                                  "libcupti.so"};

void AddAll(const std::string& directory, std::vector<std::string>* paths) {
  for (const char* name : kNames) paths->push_back(directory + "/" + name);
}

}  // namespace

// Wheels install libcudart in nvidia/cuda_runtime/lib and CUPTI in
// nvidia/cuda_cupti/lib; toolkits have extras/CUPTI/lib64 beside lib64.
void AddCuptiBeside(const std::string& folder,
                    std::vector<std::string>* paths) {
  AddAll(folder + ".", paths);
  AddAll(folder + "../../cuda_cupti/lib", paths);
  AddAll(folder + "../extras/CUPTI/lib64", paths);
}

void AddUsualCupti(std::vector<std::string>* paths) {
  for (const char* name : kNames) paths->emplace_back(name);
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* home = std::getenv(variable);
    if (home == nullptr) continue;
    AddAll(std::string(home) + "/extras/CUPTI/lib64", paths);
    AddAll(std::string(home) + "/lib64", paths);
  }
  AddAll("/usr/local/cuda/extras/CUPTI/lib64", paths);
  AddAll("/usr/local/cuda/lib64", paths);
}

}  // namespace inquest::host
