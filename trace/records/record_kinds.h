// SPDX-License-Identifier: Apache-2.0
// The kinds of journal records, with their numbers and the names under which
// losses are counted. Numbers are part of journal format 1: append only. Each
// kind has a struct in the header of its subject; records.h includes them all.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "trace/journal/journal_format.h"

namespace inquest::trace {

inline constexpr int64_t kNoNumber = std::numeric_limits<int64_t>::min();

enum class RecordKind : uint32_t {
  kMemory = 2,
  kStack = 3,
  kProcess = 4,
  kClockAnchor = 5,
  kEnvironment = 6,
  kLibrary = 7,
  kDevice = 8,
  kDeviceMemory = 9,
  kDeviceProcess = 10,
  kApiError = 11,
  kApiErrorRepeat = 12,
  kCudnnCall = 13,
  kMessage = 14,
  kStepBegin = 15,
  kStepEnd = 16,
  kDeviceEvent = 17,
  kCoverage = 18,
  kLoss = 19,
  kMeta = 20,
  kCudnnOperation = 21,
  kCudnnRun = 22,
  kFrameworkMemory = 30,
  kPackage = 31,
  kCudnnChoice = 40,
  kCudnnTurn = 41,
  kLibraryCheck = 42,
  kCudnnStat = 43,
  kDriver = 44,
  kCgroupMemory = 45,
  kLibraryPart = 46,
  kPythonFrame = 50,
  kPythonStack = 51,
};

struct NamedRecordKind {
  RecordKind kind;
  std::string_view name;  // mostly of the table that its rows go to
};
inline constexpr NamedRecordKind kRecordKinds[] = {
    {RecordKind::kMemory, "memory_event"},
    {RecordKind::kStack, "stack"},
    {RecordKind::kProcess, "process"},
    {RecordKind::kClockAnchor, "clock_anchor"},
    {RecordKind::kEnvironment, "environment"},
    {RecordKind::kLibrary, "library"},
    {RecordKind::kDevice, "device"},
    {RecordKind::kDeviceMemory, "device_memory"},
    {RecordKind::kDeviceProcess, "device_process"},
    {RecordKind::kApiError, "api_error"},
    {RecordKind::kApiErrorRepeat, "api_error_repeat"},
    {RecordKind::kCudnnCall, "cudnn_call"},
    {RecordKind::kMessage, "message"},
    {RecordKind::kStepBegin, "step"},
    {RecordKind::kStepEnd, "step_end"},
    {RecordKind::kDeviceEvent, "device_event"},
    {RecordKind::kCoverage, "coverage"},
    {RecordKind::kLoss, "loss"},
    {RecordKind::kMeta, "meta"},
    {RecordKind::kCudnnOperation, "cudnn_operation"},
    {RecordKind::kCudnnRun, "cudnn_run"},
    {RecordKind::kFrameworkMemory, "framework_memory"},
    {RecordKind::kPackage, "package"},
    {RecordKind::kCudnnChoice, "cudnn_choice"},
    {RecordKind::kCudnnTurn, "cudnn_run"},
    {RecordKind::kLibraryCheck, "library_check"},
    {RecordKind::kCudnnStat, "cudnn_stat"},
    {RecordKind::kDriver, "driver"},
    {RecordKind::kCgroupMemory, "cgroup_memory"},
    {RecordKind::kLibraryPart, "library_part"},
    {RecordKind::kPythonFrame, "python_frame"},
    {RecordKind::kPythonStack, "python_stack"},
};

// Each kind has a counter of losses in the journal's header.
constexpr bool AllKindsAreCounted() {
  for (const NamedRecordKind& named : kRecordKinds) {
    if (static_cast<uint32_t>(named.kind) >= kDropKinds) return false;
  }
  return true;
}
static_assert(AllKindsAreCounted());

// "unknown" for a number of a later version.
constexpr std::string_view RecordKindName(uint32_t kind) {
  for (const NamedRecordKind& named : kRecordKinds) {
    if (static_cast<uint32_t>(named.kind) == kind) return named.name;
  }
  return "unknown";
}

}  // namespace inquest::trace
