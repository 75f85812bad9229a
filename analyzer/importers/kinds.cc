// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kinds.h"

#include <fmt/format.h>

#include <limits>

namespace inquest::importers {

Expected<ingest::LogInput> OpenForeign(const std::string& path) {
  ingest::InputLimits limits;
  limits.max_bytes = std::numeric_limits<int64_t>::max();
  limits.max_unpacked_bytes = std::numeric_limits<int64_t>::max();
  return ingest::OpenLog(path, limits);
}

FileStart StartOf(const std::string& path) {
  FileStart start{path, std::string(kStartBytes, '\0')};
  auto input = OpenForeign(path);
  size_t size = 0;
  while (input.ok() && size < start.bytes.size()) {
    const size_t got = input->bytes->Read(start.bytes.data() + size,
                                          start.bytes.size() - size);
    if (got == 0) break;
    size += got;
  }
  start.bytes.resize(size);
  return start;
}

Status Incomplete(const std::string& path, const Status& why) {
  return Status(StatusCode::kIncomplete,
                fmt::format("'{}': {}; what precedes that was read", path,
                            why.message()))
      .WithHint(why.hint());
}

}  // namespace inquest::importers
