// The kinds of journal records and their numbers, which are part of journal
// format 1: append only. Each has a struct, in the header of its subject;
// records.h has them all and tells how they are read.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

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
  kPythonFrame = 50,
  kPythonStack = 51,
  kLibraryCheck = 42,
  kCudnnStat = 43,
};
std::string_view RecordKindName(uint32_t kind);  // "memory", "api_error", …

}  // namespace inquest::trace
