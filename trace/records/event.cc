#include "trace/records/event.h"

#include "trace/records/records.h"

namespace inquest::trace {

std::string_view MemoryOpName(MemoryOp op) {
  switch (op) {
    case MemoryOp::kAlloc:
      return "alloc";
    case MemoryOp::kFree:
      return "free";
    case MemoryOp::kFreeFailed:
      return "free_failed";
    case MemoryOp::kMap:
      return "map";
    case MemoryOp::kUnmap:
      return "unmap";
    case MemoryOp::kReserve:
      return "reserve";
    case MemoryOp::kUnreserve:
      return "unreserve";
    case MemoryOp::kTrim:
      return "trim";
    case MemoryOp::kRegister:
      return "register";
    case MemoryOp::kUnregister:
      return "unregister";
    case MemoryOp::kContextDestroy:
      return "context_destroy";
    case MemoryOp::kRetain:
      return "retain";
    case MemoryOp::kAccess:
      return "access";
    case MemoryOp::kPoolCreate:
      return "pool_create";
    case MemoryOp::kPoolThreshold:
      return "pool_threshold";
  }
  return "unknown";
}

std::string_view MemoryKindName(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kDevice:
      return "device";
    case MemoryKind::kManaged:
      return "managed";
    case MemoryKind::kAsync:
      return "async";
    case MemoryKind::kHost:
      return "host";
    case MemoryKind::kPhysical:
      return "physical";
    case MemoryKind::kArray:
      return "array";
    case MemoryKind::kIpc:
      return "ipc";
    case MemoryKind::kExternal:
      return "external";
    case MemoryKind::kFramework:
      return "framework";
    case MemoryKind::kSegment:
      return "segment";
    case MemoryKind::kMapped:
      return "mapped";
  }
  return "unknown";
}

std::string_view RecordKindName(uint32_t kind) {
  switch (static_cast<RecordKind>(kind)) {
    case RecordKind::kMemory:
      return "memory_event";
    case RecordKind::kStack:
      return "stack";
    case RecordKind::kProcess:
      return "process";
    case RecordKind::kClockAnchor:
      return "clock_anchor";
    case RecordKind::kEnvironment:
      return "environment";
    case RecordKind::kLibrary:
      return "library";
    case RecordKind::kDevice:
      return "device";
    case RecordKind::kDeviceMemory:
      return "device_memory";
    case RecordKind::kDeviceProcess:
      return "device_process";
    case RecordKind::kApiError:
      return "api_error";
    case RecordKind::kApiErrorRepeat:
      return "api_error_repeat";
    case RecordKind::kCudnnCall:
      return "cudnn_call";
    case RecordKind::kMessage:
      return "message";
    case RecordKind::kStepBegin:
      return "step";
    case RecordKind::kStepEnd:
      return "step_end";
    case RecordKind::kDeviceEvent:
      return "device_event";
    case RecordKind::kCoverage:
      return "coverage";
    case RecordKind::kLoss:
      return "loss";
    case RecordKind::kMeta:
      return "meta";
    case RecordKind::kCudnnChoice:
      return "cudnn_choice";
    case RecordKind::kLibraryCheck:
      return "library_check";
    case RecordKind::kCudnnStat:
      return "cudnn_stat";
    case RecordKind::kCudnnOperation:
      return "cudnn_operation";
    case RecordKind::kCudnnRun:
    case RecordKind::kCudnnTurn:
      return "cudnn_run";
    case RecordKind::kFrameworkMemory:
      return "framework_memory";
    case RecordKind::kPackage:
      return "package";
    case RecordKind::kPythonFrame:
      return "python_frame";
    case RecordKind::kPythonStack:
      return "python_stack";
  }
  return "unknown";
}

}  // namespace inquest::trace
