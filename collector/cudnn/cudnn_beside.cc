// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/cudnn_beside.h"

#include <sys/stat.h>

#include <string>

#include "collector/core/drain.h"
#include "collector/core/emit.h"
#include "host/cudnn_files.h"
#include "host/distributions.h"

namespace inquest::collector {
namespace {

void RecordPart(const std::string& whole, const std::string& name) {
  const std::string path = whole.substr(0, whole.rfind('/') + 1) + name;
  struct stat file {};
  const bool present = stat(path.c_str(), &file) == 0;
  const host::ListedFile listed = host::ListedBy(path);
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
  const std::string file(BaseName(cudnn.path));
  for (const std::string& part : host::PartsOfCudnn(file)) {
    RecordPart(cudnn.path, part);
  }
}

}  // namespace inquest::collector
