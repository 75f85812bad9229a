// SPDX-License-Identifier: Apache-2.0
// Recognizes and imports device memory profiles of JAX: what was live at one
// moment, by call stack and device.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

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

constexpr std::array<std::string_view, 5> kFirstTexts = {
    "", "allocations", "count", "space", "bytes"};

// A profile that ends before its texts cannot say what it measures. JAX's has
// two pairs of texts, the first of all, a kind for each sample and a second
// label for those on a device; profiles of time have a period or no labels.
bool LooksLikeMemory(const PprofProfile& profile) {
  const std::vector<PprofValueType>& types = profile.types;
  if (profile.has_period || types.size() != 2) return false;
  for (size_t i = 0; i < std::min(kFirstTexts.size(), profile.texts.size());
       ++i) {
    if (profile.texts[i] != kFirstTexts[i]) return false;
  }
  if (types[0].type != 1 || types[0].unit != 2 || types[1].type != 3 ||
      types[1].unit != 4) {
    return false;
  }
  return !profile.samples.empty() &&
         std::ranges::all_of(profile.samples, [](const PprofSample& sample) {
           return sample.labels[0].second != 0 && sample.values[2] == 0;
         });
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

// Names of devices are cut off; which samples share one is not. The
// executables' only label says their kind.
void NumberDevices(PprofProfile* profile) {
  constexpr uint64_t kKey = 1;
  profile->texts = {"", "device"};
  std::map<uint64_t, uint64_t> devices;  // texts
  for (PprofSample& sample : profile->samples) {
    const uint64_t name = sample.labels[1].second;
    sample.labels = {};
    if (name == 0) continue;
    const auto [known, is_new] = devices.try_emplace(name, devices.size() + 2);
    if (is_new) {
      profile->texts.push_back(fmt::format("device {}", devices.size() - 1));
    }
    sample.labels[0] = {kKey, known->second};
  }
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
  int count = PlaceOf(profile, "allocations", "count");
  int bytes = PlaceOf(profile, "space", "bytes");
  const bool nameless =
      !read.ok() && (count < 0 || bytes < 0) && LooksLikeMemory(profile);
  if (nameless) {
    count = 0;
    bytes = 1;
    NumberDevices(&profile);
  }
  if (count < 0 || bytes < 0) {
    // Texts come last, so it is unknown what a truncated profile measures.
    if (read.ok()) return NoMemory(path, profile);
    return Unreadable(
        fmt::format("the profile '{}': {}", path, read.message()));
  }
  const int64_t time = profile.time_ns > 0
                           ? profile.time_ns
                           : std::max<int64_t>(0, input.mtime_ns);
  std::string fault = read.message();
  if (nameless) {
    fault +=
        "; the names of devices, kinds and functions were to follow: devices "
        "are numbered in the order of the file";
  }
  RETURN_IF_ERROR(WritePprofTrace(
      profile,
      {static_cast<size_t>(count), static_cast<size_t>(bytes), time, fault},
      trace_path));
  return read.ok() ? read : Incomplete(path, read);
}

}  // namespace inquest::importers
