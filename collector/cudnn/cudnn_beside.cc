// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/cudnn_beside.h"

#include <sys/stat.h>

#include <span>
#include <string>

#include "collector/core/drain.h"
#include "collector/core/emit.h"
#include "collector/process/distributions.h"

namespace inquest::collector {
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

// By the name libcudnn.so.9; other releases have other parts, or none.
std::span<const char* const> PartsOf(std::string_view file) {
  if (file.starts_with("libcudnn.so.9")) return kParts9;
  if (file.starts_with("libcudnn.so.8")) return kParts8;
  return {};
}

void RecordPart(const std::string& whole, const std::string& name) {
  const std::string path = whole.substr(0, whole.rfind('/') + 1) + name;
  struct stat file {};
  const bool present = stat(path.c_str(), &file) == 0;
  const ListedFile listed = ListedBy(path);
  trace::LibraryPartRecord record;
  record.time_ns = MonotonicNs();
  record.present = present ? 1 : 0;
  record.name = name;
  record.path = path;
  record.whole = whole;
  record.package_version = listed.version;
  if (present && listed.bytes >= 0) {
    record.of_package = file.st_size == listed.bytes ? 1 : 0;
  }
  MakeRoom();
  Emit(record);
}

}  // namespace

void RecordCudnnBeside(const Module& cudnn) {
  const std::string_view file = BaseName(cudnn.path);
  for (const char* part : PartsOf(file)) {
    const std::string major(
        file.substr(0, std::string_view("libcudnn.so.9").size()));
    RecordPart(cudnn.path,
               "libcudnn_" + std::string(part) +
                   major.substr(std::string_view("libcudnn").size()));
  }
}

}  // namespace inquest::collector
