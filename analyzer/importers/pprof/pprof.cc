// SPDX-License-Identifier: Apache-2.0
// Recognizes and imports device memory profiles of JAX: what was live at one
// moment, by call stack and device.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/importers/kinds.h"
#include "analyzer/importers/pprof/pprof_profile.h"

namespace inquest::importers {
namespace {

// The index of "allocations/count" among the values, or -1.
int PlaceOf(const PprofProfile& profile, std::string_view type,
            std::string_view unit) {
  for (size_t i = 0; i < profile.types.size(); ++i) {
    if (i < PprofSample::kValues &&
        profile.Text(profile.types[i].type) == type &&
        profile.Text(profile.types[i].unit) == unit) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

Status NoMemory(const std::string& path, const PprofProfile& profile) {
  std::string types;
  for (const PprofValueType& type : profile.types) {
    types += fmt::format("{}{} in {}", types.empty() ? "" : ", ",
                         profile.Text(type.type), profile.Text(type.unit));
  }
  return Unreadable(
             fmt::format("'{}' is a pprof profile of {}, not of device memory",
                         path, types.empty() ? "nothing" : types))
      .WithHint(
          "make one with "
          "jax.profiler.save_device_memory_profile(\"FILE\")");
}

}  // namespace

bool KnowsPprof(const FileStart& start) {
  BytesAt bytes(start.bytes);
  ProtoStream stream(&bytes);
  size_t types = 0;
  while (stream.Next()) {
    if (!IsPprofField(stream.field(), stream.wire())) return false;
    if (stream.field() > 15) return false;
    if (stream.field() != 1) continue;
    if (!IsPprofValueType(stream.data())) return false;
    ++types;
  }
  return types > 0;
}

Status ImportPprof(const std::string& path, const std::string& trace_path) {
  ASSIGN_OR_RETURN(ingest::LogInput input, OpenForeign(path));
  ProtoStream stream(input.bytes.get());
  PprofProfile profile;
  const Status read = ReadPprof(&stream, {}, &profile);
  const int count = PlaceOf(profile, "allocations", "count");
  const int bytes = PlaceOf(profile, "space", "bytes");
  if (count < 0 || bytes < 0) {
    // Texts come last, so it is unknown what a truncated profile measures.
    if (read.ok()) return NoMemory(path, profile);
    return Unreadable(
        fmt::format("the profile '{}': {}", path, read.message()));
  }
  const int64_t time = profile.time_ns > 0
                           ? profile.time_ns
                           : std::max<int64_t>(0, input.mtime_ns);
  RETURN_IF_ERROR(
      WritePprofTrace(profile,
                      {static_cast<size_t>(count), static_cast<size_t>(bytes),
                       time, read.message()},
                      trace_path));
  return read.ok() ? read : Incomplete(path, read);
}

}  // namespace inquest::importers
