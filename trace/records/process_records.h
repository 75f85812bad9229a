// SPDX-License-Identifier: Apache-2.0
// Journal records of a process: its identity, environment, libraries, packages
// and clock. Fields and their units are those of schema.sql; an empty text or
// kNoNumber is NULL there. Their order is part of the journal's format: append
// only.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/records/codec.h"
#include "trace/records/record_kinds.h"

namespace inquest::trace {

struct ProcessRecord {
  static constexpr RecordKind kKind = RecordKind::kProcess;
  int64_t pid = 0, parent_pid = 0, start_ns = 0;
  std::string_view host, executable, command;
  int64_t rank = kNoNumber, local_rank = kNoNumber, world_size = kNoNumber;
  std::string_view job_id;
  template <typename F>
  void Fields(F&& f) {
    f(pid), f(parent_pid), f(start_ns), f(host), f(executable), f(command);
    f(rank), f(local_rank), f(world_size), f(job_id);
  }
};

struct ClockAnchorRecord {
  static constexpr RecordKind kKind = RecordKind::kClockAnchor;
  int64_t monotonic_ns = 0, realtime_ns = 0;
  template <typename F>
  void Fields(F&& f) {
    f(monotonic_ns), f(realtime_ns);
  }
};

struct EnvironmentRecord {
  static constexpr RecordKind kKind = RecordKind::kEnvironment;
  std::string_view name, value;
  template <typename F>
  void Fields(F&& f) {
    f(name), f(value);
  }
};

// A second record with the same path and base adds what the first left empty.
struct LibraryRecord {
  static constexpr RecordKind kKind = RecordKind::kLibrary;
  int64_t time_ns = 0;
  uint64_t base = 0, size = 0;
  std::string_view name, path, version, version_source, compiled_version;
  std::string_view build_id;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(base), f(size), f(name), f(path), f(version);
    f(version_source), f(compiled_version), f(build_id);
  }
};

// The result of a library's version check against those it depends on.
struct LibraryCheckRecord {
  static constexpr RecordKind kKind = RecordKind::kLibraryCheck;
  int64_t time_ns = 0;
  uint64_t base = 0;
  int32_t result = 0;
  std::string_view path, function, name;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(base), f(result), f(path), f(function), f(name);
  }
};

// A part of cuDNN that belongs beside a loaded libcudnn.so.
struct LibraryPartRecord {
  static constexpr RecordKind kKind = RecordKind::kLibraryPart;
  int64_t time_ns = 0, present = 0, of_package = kNoNumber;
  std::string_view name, path, whole, package_version;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(present), f(of_package), f(name), f(path), f(whole);
    f(package_version);
  }
};

// What the process can see of NVIDIA's driver.
struct DriverRecord {
  static constexpr RecordKind kKind = RecordKind::kDriver;
  int64_t time_ns = 0, loaded = 0, init_result = kNoNumber, device_files = 0;
  std::string_view library, library_version, cuda, init_name, kernel_version;
  std::string_view device_error;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(loaded), f(init_result), f(device_files), f(library);
    f(library_version), f(cuda), f(init_name), f(kernel_version);
    f(device_error);
  }
};

// A control group that limits the process's host memory.
struct CgroupMemoryRecord {
  static constexpr RecordKind kKind = RecordKind::kCgroupMemory;
  int64_t time_ns = 0, limit_bytes = kNoNumber, used_bytes = kNoNumber;
  int64_t peak_bytes = kNoNumber, refusals = kNoNumber, ooms = kNoNumber;
  int64_t oom_kills = kNoNumber;
  std::string_view path;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(limit_bytes), f(used_bytes), f(peak_bytes), f(refusals);
    f(ooms), f(oom_kills), f(path);
  }
};

// A framework's Python package, as its files on disk say.
struct PackageRecord {
  static constexpr RecordKind kKind = RecordKind::kPackage;
  int64_t time_ns = 0;
  std::string_view name, version, version_source, cuda, cudnn, path;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(name), f(version), f(version_source), f(cuda), f(cudnn);
    f(path);
  }
};

}  // namespace inquest::trace
