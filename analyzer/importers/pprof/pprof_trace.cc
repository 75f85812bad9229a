// SPDX-License-Identifier: Apache-2.0
// Writes a device memory profile as a trace: its samples, and each live object
// as an allocation.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyzer/importers/common/call_stacks.h"
#include "analyzer/importers/common/trace_file.h"
#include "analyzer/importers/pprof/pprof_profile.h"
#include "base/text.h"

namespace inquest::importers {
namespace {

constexpr std::string_view kPprofKind = "pprof";
constexpr int64_t kMaxEvents = 8 << 20;  // above it a whole sample is one event
// A larger size means a damaged or malicious file: sums must not overflow.
constexpr int64_t kMaxSampleBytes = int64_t{1} << 50;

// "gpu:0", "cuda:1", "TFRT_CPU_0", "StreamExecutorGpuDevice(id=3, …)".
int64_t OrdinalIn(const std::string& name) {
  size_t at = name.find("id=");
  if (at != name.npos) {
    at += 3;
  } else {  // the number at the end of the name
    at = std::min(name.find('('), name.size());
    while (at > 0 && IsDigit(name[at - 1])) --at;
  }
  int64_t ordinal = 0;
  for (int digits = 0; digits < 4 && at < name.size() && IsDigit(name[at]);
       ++digits) {
    ordinal = ordinal * 10 + (name[at++] - '0');
  }
  return std::min<int64_t>(ordinal, 1023);
}

class PprofTrace {
 public:
  PprofTrace(const PprofProfile& profile, const PprofMeaning& meaning,
             TraceFile* file)
      : profile_(profile),
        meaning_(meaning),
        time_ns_(meaning.time_ns),
        file_(file) {}

  Status Write() {
    WriteStacks();
    int64_t id = 0;
    for (const PprofSample& sample : profile_.samples) {
      RETURN_IF_ERROR(WriteSample(sample, ++id));
    }
    WriteCoverage();
    return file_->Finish(time_ns_, time_ns_, kPprofKind);
  }

 private:
  void WriteStacks() {
    CallStacks table(file_);
    std::vector<uint32_t> frames;
    for (const std::vector<uint64_t>& stack : profile_.stacks) {
      frames.clear();
      for (const uint64_t location : stack) {
        const auto found = profile_.locations.find(location);
        if (found == profile_.locations.end()) continue;
        for (const PprofLine& line : found->second) {
          const auto function = profile_.functions.find(line.function);
          if (function == profile_.functions.end()) continue;
          frames.push_back(table.Frame(profile_.Text(function->second.file),
                                       line.line,
                                       profile_.Text(function->second.name)));
        }
      }
      stacks_.push_back(table.Stack(frames));
    }
    table.Finish();
  }

  std::string LabelOf(const PprofSample& sample, std::string_view key) const {
    for (const auto& [name, text] : sample.labels) {
      if (profile_.Text(name) == key) return profile_.Text(text);
    }
    return {};
  }

  // Each name gets its own ordinal, if possible the one in the name.
  int64_t DeviceOf(const std::string& name) {
    if (name.empty()) return -1;
    const auto known = devices_.find(name);
    if (known != devices_.end()) return known->second;
    int64_t ordinal = OrdinalIn(name);
    const auto taken = [&](const auto& one) { return one.second == ordinal; };
    while (std::ranges::any_of(devices_, taken)) ++ordinal;
    return devices_[name] = ordinal;
  }

  Status WriteSample(const PprofSample& sample, int64_t id) {
    const int64_t count = sample.values[meaning_.count];
    const int64_t bytes = sample.values[meaning_.bytes];
    const std::string device_name = LabelOf(sample, "device");
    const int64_t device = DeviceOf(device_name);
    file_->AddRow("profile_sample", id, LabelOf(sample, "kind"), device,
                  device_name, count, bytes, stacks_[sample.stack]);
    if (bytes < 0) unsized_ += std::max<int64_t>(count, 0);
    if (count <= 0 || bytes > kMaxSampleBytes) {
      ++invalid_;
      return Status::Ok();
    }
    return WriteBlocks(device, count, std::max<int64_t>(bytes, 0),
                       stacks_[sample.stack]);
  }

  // Objects have no addresses; they get made-up ones that are not adjacent.
  Status WriteBlocks(int64_t device, int64_t count, int64_t bytes,
                     uint32_t stack) {
    const bool one_by_one = count <= kMaxEvents - events_;
    const int64_t pieces = one_by_one ? count : 1;
    if (!one_by_one) merged_ += count - 1;
    TraceEvent event;
    event.time_ns = time_ns_;
    event.kind = trace::MemoryKind::kFramework;
    event.device = device;
    event.stack = stack;
    for (int64_t i = 0; i < pieces; ++i) {
      event.id = ++events_;
      event.bytes = bytes / pieces + (i < bytes % pieces ? 1 : 0);
      event.address = next_address_[device] += kApart;
      next_address_[device] += static_cast<uint64_t>(event.bytes);
      RETURN_IF_ERROR(file_->Add(event));
    }
    return Status::Ok();
  }

  void WriteCoverage() {
    std::string devices;
    for (const auto& [name, ordinal] : devices_) {
      devices += fmt::format("; GPU {} is {}", ordinal, name);
    }
    file_->Coverage(
        kPprofKind, time_ns_, time_ns_, "on",
        fmt::format("{} samples, {} locations, {} functions, {} strings{}",
                    profile_.samples.size(), profile_.locations.size(),
                    profile_.functions.size(), profile_.texts.size(), devices));
    file_->Coverage(kPprofKind, time_ns_, time_ns_, "off",
                    "a profile shows one moment: earlier allocations and "
                    "frees, free memory and addresses are unknown");
    if (!meaning_.fault.empty()) {
      file_->Coverage(kPprofKind, time_ns_, time_ns_, "failed", meaning_.fault);
    }
    file_->Loss("sizes", unsized_, "executables of unknown size");
    file_->Loss("impossible samples", invalid_,
                "with an impossible count or size");
    file_->Loss("damaged messages", static_cast<int64_t>(profile_.damaged),
                "nested messages of the profile");
    file_->Loss("merged allocations", merged_, "more than are kept one by one");
  }

  static constexpr uint64_t kApart = 512;
  const PprofProfile& profile_;
  const PprofMeaning& meaning_;
  int64_t time_ns_;
  TraceFile* file_;
  std::vector<uint32_t> stacks_;  // stack.id of each of the profile's
  std::map<std::string, int64_t> devices_;
  std::map<int64_t, uint64_t> next_address_;
  int64_t events_ = 0;
  int64_t unsized_ = 0;
  int64_t invalid_ = 0;
  int64_t merged_ = 0;
};

}  // namespace

Status WritePprofTrace(const PprofProfile& profile, const PprofMeaning& meaning,
                       const std::string& path) {
  ASSIGN_OR_RETURN(TraceFile file, TraceFile::Create(path));
  return PprofTrace(profile, meaning, &file).Write();
}

}  // namespace inquest::importers
