// What the collector writes into the journal and the trace writer turns into
// rows: a struct per kind, named after the table it ends in. Fields and their
// units are those of schema.sql; an empty text or kNoNumber is NULL there.
// Kinds and the order of fields are part of journal format 1: append only.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "trace/codec.h"
#include "trace/event.h"

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

// The one that must be small: with the commit word exactly one slot. Copied
// into the journal as it lies in memory.
struct MemoryRecord {
  static constexpr RecordKind kKind = RecordKind::kMemory;
  int64_t time_ns = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t stream = 0;
  uint64_t pool = 0;
  uint32_t context = 0;
  uint32_t thread = 0;
  uint32_t stack = 0;
  uint16_t result = 0;
  int8_t device = -1;
  uint8_t op_and_kind = 0;  // MemoryOp | MemoryKind << 4
};
static_assert(sizeof(MemoryRecord) == kSlotSize - kCommitSize);

// What a framework's own allocator did inside the memory it holds; one slot,
// copied as it lies in memory.
struct FrameworkMemoryRecord {
  static constexpr RecordKind kKind = RecordKind::kFrameworkMemory;
  int64_t time_ns = 0;
  uint64_t address = 0;
  int64_t bytes = 0;                    // of the block, or asked for in vain
  int64_t allocated_bytes = kNoNumber;  // all its live blocks, after this
  int64_t reserved_bytes = kNoNumber;   // what it holds from the driver
  uint32_t thread = 0;
  uint32_t stack = 0;
  int16_t device = -1;
  FrameworkOp op = FrameworkOp::kAlloc;
  bool address_is_handle = false;  // the allocator's own, not the device's
  uint32_t unused = 0;
};
static_assert(sizeof(FrameworkMemoryRecord) == kSlotSize - kCommitSize);

inline constexpr size_t kMaxFrames = 32;
// As it lies in memory; frames beyond `count` are neither set nor written.
struct StackRecord {
  static constexpr RecordKind kKind = RecordKind::kStack;
  uint32_t id = 0;
  uint32_t count = 0;
  uint64_t frames[kMaxFrames];
};

// A place in a Python program, said once; `id` counts from 1.
struct PythonFrameRecord {
  static constexpr RecordKind kKind = RecordKind::kPythonFrame;
  uint32_t id = 0;
  int32_t line = 0;
  std::string_view file, function;
  template <typename F>
  void Fields(F&& f) {
    f(id), f(line), f(file), f(function);
  }
};

// The Python half of a StackRecord with the same id, likewise.
inline constexpr size_t kMaxPythonFrames = 64;
struct PythonStackRecord {
  static constexpr RecordKind kKind = RecordKind::kPythonStack;
  uint32_t stack = 0;
  uint32_t count = 0;
  uint32_t frames[kMaxPythonFrames];  // PythonFrameRecord::id, 0 unknown
};

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

// A library compared itself with those it depends on.
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

struct DeviceRecord {
  static constexpr RecordKind kKind = RecordKind::kDevice;
  int64_t ordinal = 0, total_bytes = 0;
  int64_t cuda_driver_version = kNoNumber, cuda_runtime_version = kNoNumber;
  std::string_view name, uuid, pci, compute_capability, driver_version;
  template <typename F>
  void Fields(F&& f) {
    f(ordinal), f(total_bytes), f(cuda_driver_version);
    f(cuda_runtime_version), f(name), f(uuid), f(pci), f(compute_capability);
    f(driver_version);
  }
};

struct DeviceMemoryRecord {
  static constexpr RecordKind kKind = RecordKind::kDeviceMemory;
  int64_t time_ns = 0, device = 0, free_bytes = 0, total_bytes = 0;
  std::string_view reason;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(device), f(free_bytes), f(total_bytes), f(reason);
  }
};

struct DeviceProcessRecord {
  static constexpr RecordKind kKind = RecordKind::kDeviceProcess;
  int64_t time_ns = 0, device = 0, pid = 0, used_bytes = kNoNumber;
  std::string_view name, reason;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(device), f(pid), f(used_bytes), f(name), f(reason);
  }
};

struct ApiErrorRecord {
  static constexpr RecordKind kKind = RecordKind::kApiError;
  int64_t time_ns = 0, result = 0;
  uint32_t thread = 0, stack = 0;
  int16_t device = -1;
  bool sticky = false;
  std::string_view api, function, name, text;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(result), f(thread), f(stack), f(device), f(sticky), f(api);
    f(function), f(name), f(text);
  }
};

// One more call equal to the one whose record has ticket `first`.
struct ApiErrorRepeatRecord {
  static constexpr RecordKind kKind = RecordKind::kApiErrorRepeat;
  uint64_t first = 0;
  template <typename F>
  void Fields(F&& f) {
    f(first);
  }
};

struct CudnnCallRecord {
  static constexpr RecordKind kKind = RecordKind::kCudnnCall;
  int64_t time_ns = 0, duration_ns = 0;
  uint64_t handle = 0;
  int32_t result = 0;
  uint32_t thread = 0;
  std::string_view function, detail;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(duration_ns), f(handle), f(result), f(thread), f(function);
    f(detail);
  }
};

// Calls that went alike and are told by their number only.
struct CudnnStatRecord {
  static constexpr RecordKind kKind = RecordKind::kCudnnStat;
  int64_t calls = 0, total_ns = 0, max_ns = 0;
  int32_t result = 0;
  std::string_view function;
  template <typename F>
  void Fields(F&& f) {
    f(calls), f(total_ns), f(max_ns), f(result), f(function);
  }
};

// What a layer's calls work on: its descriptors in words, once a process.
struct CudnnOperationRecord {
  static constexpr RecordKind kKind = RecordKind::kCudnnOperation;
  uint64_t id = 0;
  std::string_view function, text;
  template <typename F>
  void Fields(F&& f) {
    f(id), f(function), f(text);
  }
};

// A call of a function that is given an algorithm and a workspace, as
// collectors before CudnnTurnRecord wrote it. It stands in place of the call's
// CudnnCallRecord.
struct CudnnRunRecord {
  static constexpr RecordKind kKind = RecordKind::kCudnnRun;
  CudnnCallRecord call;
  uint64_t operation = 0;  // CudnnOperationRecord::id, 0 unknown
  uint64_t workspace_bytes = 0;
  int32_t algorithm = 0;  // number in the function's own enum
  template <typename F>
  void Fields(F&& f) {
    call.Fields(f);
    f(operation), f(workspace_bytes), f(algorithm);
  }
};

// How an operation was run: said before the first turn that names it.
struct CudnnChoiceRecord {
  static constexpr RecordKind kKind = RecordKind::kCudnnChoice;
  uint64_t id = 0;  // hash of what follows, above 0
  uint64_t operation = 0;
  int64_t workspace_bytes = 0, workspace_asked = kNoNumber;
  int32_t algorithm = 0;
  std::string_view function, knobs;
  template <typename F>
  void Fields(F&& f) {
    f(id), f(operation), f(workspace_bytes), f(workspace_asked), f(algorithm);
    f(function), f(knobs);
  }
};

// A call that worked on an operation, in place of its CudnnCallRecord: one
// slot of the journal where there is no detail.
struct CudnnTurnRecord {
  static constexpr RecordKind kKind = RecordKind::kCudnnTurn;
  int64_t time_ns = 0, duration_ns = 0;
  uint64_t handle = 0;
  uint64_t choice = 0;  // CudnnChoiceRecord::id
  int32_t result = 0;
  uint32_t thread = 0;
  std::string_view detail;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(duration_ns), f(handle), f(choice), f(result), f(thread);
    f(detail);
  }
};

struct MessageRecord {
  static constexpr RecordKind kKind = RecordKind::kMessage;
  int64_t time_ns = 0;
  std::string_view source, severity, text;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(source), f(severity), f(text);
  }
};

struct StepBeginRecord {
  static constexpr RecordKind kKind = RecordKind::kStepBegin;
  int64_t begin_ns = 0, end_ns = kNoNumber;  // a mark has both
  uint32_t thread = 0;
  std::string_view name;
  template <typename F>
  void Fields(F&& f) {
    f(begin_ns), f(end_ns), f(thread), f(name);
  }
};

struct StepEndRecord {
  static constexpr RecordKind kKind = RecordKind::kStepEnd;
  uint64_t begin = 0;  // ticket of the step's beginning
  int64_t end_ns = 0;
  template <typename F>
  void Fields(F&& f) {
    f(begin), f(end_ns);
  }
};

struct DeviceEventRecord {
  static constexpr RecordKind kKind = RecordKind::kDeviceEvent;
  int64_t time_ns = 0, device = -1, value = 0;
  std::string_view kind, text;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(device), f(value), f(kind), f(text);
  }
};

// A source's new state; it ends the state that the source was in.
struct CoverageRecord {
  static constexpr RecordKind kKind = RecordKind::kCoverage;
  int64_t time_ns = 0;
  std::string_view source, state, note;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(source), f(state), f(note);
  }
};

struct LossRecord {  // adds to what was lost of `kind` so far
  static constexpr RecordKind kKind = RecordKind::kLoss;
  int64_t count = 0;
  std::string_view kind, note;
  template <typename F>
  void Fields(F&& f) {
    f(count), f(kind), f(note);
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

struct MetaRecord {
  static constexpr RecordKind kKind = RecordKind::kMeta;
  std::string_view key, value;
  template <typename F>
  void Fields(F&& f) {
    f(key), f(value);
  }
};

// The time of a record of the kinds that begin with theirs, else 0.
inline int64_t TimeOf(uint32_t kind, std::string_view payload) {
  int64_t time = 0;
  switch (static_cast<RecordKind>(kind)) {
    case RecordKind::kMemory:
    case RecordKind::kFrameworkMemory:
    case RecordKind::kApiError:
    case RecordKind::kCudnnCall:
    case RecordKind::kCudnnRun:
    case RecordKind::kCudnnTurn:
    case RecordKind::kMessage:
    case RecordKind::kStepBegin:
    case RecordKind::kDeviceEvent:
      if (payload.size() < sizeof time) return 0;
      std::memcpy(&time, payload.data(), sizeof time);
      return time;
    default:
      return 0;
  }
}

// False when the payload is shorter than the record's fields.
template <typename Record>
bool Decode(std::string_view payload, Record* record) {
  Decoder decoder(payload);
  record->Fields(decoder);
  return decoder.ok();
}

}  // namespace inquest::trace
