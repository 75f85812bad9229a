// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/canonical.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.h"

namespace inquest::findings {
namespace {

struct CudaError {
  int64_t number;  // since CUDA 10.1; earlier, small numbers meant other errors
  const char* driver;
  const char* runtime;
  const char* text;
};

constexpr CudaError kCudaErrors[] = {
    {1, "CUDA_ERROR_INVALID_VALUE", "cudaErrorInvalidValue",
     "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation",
     "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "cudaErrorInitializationError",
     "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "cudaErrorCudartUnloading",
     "driver shutting down"},
    {9, "", "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {35, "", "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER",
     "cudaErrorCallRequiresNewerDriver",
     "API call is not supported in the installed CUDA driver"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "cudaErrorDevicesUnavailable",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {98, "", "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, "CUDA_ERROR_NO_DEVICE", "cudaErrorNoDevice",
     "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "cudaErrorInvalidDevice",
     "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "cudaErrorInvalidKernelImage",
     "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "cudaErrorDeviceUninitialized",
     "invalid device context"},
    {205, "CUDA_ERROR_MAP_FAILED", "cudaErrorMapBufferObjectFailed",
     "mapping of buffer object failed"},
    {208, "CUDA_ERROR_ALREADY_MAPPED", "cudaErrorAlreadyMapped",
     "resource already mapped"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "cudaErrorECCUncorrectable",
     "uncorrectable ECC error encountered"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
     "cudaErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {218, "CUDA_ERROR_INVALID_PTX", "cudaErrorInvalidPtx",
     "a PTX JIT compilation failed"},
    {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "cudaErrorNvlinkUncorrectable",
     "uncorrectable NVLink error detected during the execution"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "cudaErrorUnsupportedPtxVersion",
     "the provided PTX was compiled with an unsupported toolchain."},
    {223, "CUDA_ERROR_JIT_COMPILATION_DISABLED",
     "cudaErrorJitCompilationDisabled", "PTX JIT compilation was disabled"},
    {226, "CUDA_ERROR_CONTAINED", "cudaErrorContained",
     "Invalid access of peer GPU memory over nvlink or a hardware error"},
    {300, "CUDA_ERROR_INVALID_SOURCE", "cudaErrorInvalidSource",
     "device kernel image is invalid"},
    {301, "CUDA_ERROR_FILE_NOT_FOUND", "cudaErrorFileNotFound",
     "file not found"},
    {303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED",
     "cudaErrorSharedObjectInitFailed", "shared object initialization failed"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", "cudaErrorOperatingSystem",
     "OS call failed or operation not supported on this OS"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "cudaErrorInvalidResourceHandle",
     "invalid resource handle"},
    {401, "CUDA_ERROR_ILLEGAL_STATE", "cudaErrorIllegalState",
     "the operation cannot be performed in the present state"},
    {500, "CUDA_ERROR_NOT_FOUND", "cudaErrorSymbolNotFound",
     "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "cudaErrorNotReady", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "cudaErrorLaunchTimeout",
     "the launch timed out and was terminated"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
     "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {710, "CUDA_ERROR_ASSERT", "cudaErrorAssert",
     "device-side assert triggered"},
    {711, "CUDA_ERROR_TOO_MANY_PEERS", "cudaErrorTooManyPeers",
     "peer mapping resources exhausted"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "cudaErrorHardwareStackError",
     "hardware stack error"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "cudaErrorIllegalInstruction",
     "an illegal instruction was encountered"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "cudaErrorMisalignedAddress",
     "misaligned address"},
    {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "cudaErrorInvalidAddressSpace",
     "operation not supported on global/shared address space"},
    {718, "CUDA_ERROR_INVALID_PC", "cudaErrorInvalidPc",
     "invalid program counter"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "cudaErrorLaunchFailure",
     "unspecified launch failure"},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
     "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "cudaErrorNotPermitted",
     "operation not permitted"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "cudaErrorNotSupported",
     "operation not supported"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", "cudaErrorSystemNotReady",
     "system not yet initialized"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "cudaErrorSystemDriverMismatch",
     "system has unsupported display driver / cuda driver combination"},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     "cudaErrorCompatNotSupportedOnDevice",
     "forward compatibility was attempted on non supported HW"},
    {805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "cudaErrorMpsConnectionFailed",
     "MPS client failed to connect to the MPS control daemon or the MPS "
     "server"},
    {806, "CUDA_ERROR_MPS_RPC_FAILURE", "cudaErrorMpsRpcFailure",
     "the remote procedural call between the MPS server and the MPS client "
     "failed"},
    {807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "cudaErrorMpsServerNotReady",
     "MPS server is not ready to accept new MPS client requests"},
    {808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "cudaErrorMpsMaxClientsReached",
     "the hardware resources required to create MPS client have been "
     "exhausted"},
    {810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", "cudaErrorMpsClientTerminated",
     "the MPS client has been terminated by the server"},
    {999, "CUDA_ERROR_UNKNOWN", "cudaErrorUnknown", "unknown error"},
};

struct CudnnStatus {
  int64_t number;  // since cuDNN 9
  int64_t before;  // in 7 and 8; -1: did not exist
  const char* name;
};

constexpr CudnnStatus kCudnnStatuses[] = {
    {1001, 1, "CUDNN_STATUS_NOT_INITIALIZED"},
    {1002, 14, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"},
    {1005, 10, "CUDNN_STATUS_LICENSE_ERROR"},
    {1006, 12, "CUDNN_STATUS_RUNTIME_IN_PROGRESS"},
    {1007, 13, "CUDNN_STATUS_RUNTIME_FP_OVERFLOW"},
    {2000, 3, "CUDNN_STATUS_BAD_PARAM"},
    {2001, 5, "CUDNN_STATUS_INVALID_VALUE"},
    {3000, 9, "CUDNN_STATUS_NOT_SUPPORTED"},
    {3007, 6, "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH"},
    {3008, 11, "CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING"},
    {4000, 4, "CUDNN_STATUS_INTERNAL_ERROR"},
    {4003, 2, "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED"},
    {4006, 7, "CUDNN_STATUS_INTERNAL_ERROR_TEXTURE_CREATION_FAILED"},
    {5000, 8, "CUDNN_STATUS_EXECUTION_FAILED"},
    {4003, 2, "CUDNN_STATUS_ALLOC_FAILED"},
    {3007, 6, "CUDNN_STATUS_ARCH_MISMATCH"},
    {4006, 7, "CUDNN_STATUS_MAPPING_ERROR"},
    {3008, 11, "CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING"},
    {1002, 14, "CUDNN_STATUS_VERSION_MISMATCH"},
};

struct Signal {
  int64_t number;
  const char* name;
  const char* words;  // the shell's
};

constexpr Signal kSignals[] = {
    {1, "SIGHUP", "hangup"},
    {2, "SIGINT", "interrupt"},
    {4, "SIGILL", "illegal instruction"},
    {6, "SIGABRT", "aborted"},
    {7, "SIGBUS", "bus error"},
    {8, "SIGFPE", "floating point exception"},
    {9, "SIGKILL", "killed"},
    {10, "SIGUSR1", "user defined signal 1"},
    {11, "SIGSEGV", "segmentation fault"},
    {12, "SIGUSR2", "user defined signal 2"},
    {13, "SIGPIPE", "broken pipe"},
    {15, "SIGTERM", "terminated"},
    {24, "SIGXCPU", "cpu time limit exceeded"},
    {25, "SIGXFSZ", "file size limit exceeded"},
};

// Smaller numbers of the runtime changed their meaning.
constexpr int64_t kFirstSureNumber = 100;

void AddOnce(const Figure& one, Figure::List* list) {
  const auto known = std::find(list->begin(), list->end(), one);
  if (known == list->end()) list->push_back(one);
}

std::optional<int64_t> NumberIn(const Figure& figure) {
  if (figure.IsInteger()) return figure.Integer();
  const std::string& text = figure.Text();
  if (text.empty() || text.size() > 6) return {};
  int64_t number = 0;
  for (const char c : text) {
    if (!IsDigit(c)) return {};
    number = number * 10 + (c - '0');
  }
  return number;
}

void AddCudaError(const Figure& figure, Figure::List* list) {
  const auto number = NumberIn(figure);
  const std::string& text = figure.Text();
  for (const CudaError& one : kCudaErrors) {
    const bool same =
        number ? *number == one.number &&
                     (*number >= kFirstSureNumber || *number == 2)
               : text == one.driver || text == one.runtime || text == one.text;
    if (!same) continue;
    const bool driver = text == one.driver;
    AddOnce(driver ? one.driver : one.runtime, list);
    AddOnce(one.number, list);
    return;
  }
}

void AddCudnnStatus(const Figure& figure, Figure::List* list) {
  const auto number = NumberIn(figure);
  for (const CudnnStatus& one : kCudnnStatuses) {
    const bool same = number ? *number == one.number || *number == one.before
                             : figure.Text() == one.name;
    if (!same) continue;
    AddOnce(one.name, list);
    if (number) return;
    if (one.before >= 0) AddOnce(one.before, list);
    AddOnce(one.number, list);
    return;
  }
}

void AddSignal(const Figure& figure, Figure::List* list) {
  const auto number = NumberIn(figure);
  const std::string text = ToLower(figure.Text());
  for (const Signal& one : kSignals) {
    const bool same = number ? *number == one.number
                             : text == ToLower(one.name) || text == one.words;
    if (!same) continue;
    AddOnce(one.name, list);
    AddOnce(one.number, list);
    return;
  }
}

// An exit code below 0 or above 128 is a signal, which shells and launchers
// print in either way.
void AddSignalOfExitCode(Figures* figures) {
  constexpr int64_t kShellsFirst = 128;
  if (figures->Contains("signal") || !figures->Contains("exitcode")) return;
  Figure::List list;
  for (const Figure& one : (*figures)["exitcode"].AsList()) {
    if (!one.IsInteger()) continue;
    const int64_t code = one.Integer();
    if (code >= 0 && code <= kShellsFirst) continue;
    AddSignal(code < 0 ? -code : code - kShellsFirst, &list);
  }
  if (!list.empty()) (*figures)["signal"] = list;
}

std::string Dotted(int64_t major, int64_t minor, int64_t patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(patch);
}

// "8204" and "90100" of cuDNN, "21903" of NCCL.
std::string LibraryVersion(int64_t number) {
  const int64_t unit = number >= 10000 ? 10000 : 1000;
  return Dotted(number / unit, number % unit / 100, number % 100);
}

// "11060" of CUDA.
std::string CudaVersion(int64_t number) {
  return std::to_string(number / 1000) + "." +
         std::to_string(number % 1000 / 10);
}

// "(8, 2, 4)" and "8.2.4." are 8.2.4.
std::string WithoutPunctuation(std::string_view text) {
  std::string version;
  for (const char c : text) {
    if (c == ',') version += '.';
    if (c != ',' && c != ' ' && c != '(' && c != ')') version += c;
  }
  while (version.ends_with('.')) version.pop_back();
  return version;
}

bool IsCudaVersion(std::string_view name) {
  return name == "cuda" || name == "cuda_runtime" || name == "cuda_driver" ||
         name.starts_with("driver_cuda");
}

bool IsLibraryVersion(std::string_view name) {
  return name == "cudnn" || name == "cudnn_runtime" ||
         name == "cudnn_compiled" || name == "nccl_version";
}

bool IsVersion(std::string_view name) {
  return IsCudaVersion(name) || IsLibraryVersion(name) || name == "driver" ||
         name == "driver_kernel";
}

Figure CanonicalVersion(std::string_view name, const Figure& figure) {
  const auto number = NumberIn(figure);
  if (number && *number >= 1000) {
    if (IsLibraryVersion(name))
      return Figure::List{LibraryVersion(*number), figure};
    if (IsCudaVersion(name)) return Figure::List{CudaVersion(*number), figure};
  }
  if (!figure.IsText()) return figure;
  const std::string version = WithoutPunctuation(figure.Text());
  return version.find('.') == version.npos ? figure : Figure(version);
}

void AddVersions(std::string_view name, Figure* figure) {
  Figure::List list;
  for (const Figure& one : figure->AsList()) {
    for (const Figure& form : CanonicalVersion(name, one).AsList()) {
      AddOnce(form, &list);
    }
  }
  *figure = list.size() == 1 ? list.front() : Figure(list);
}

}  // namespace

Figures WithDottedVersions(Figures figures) {
  const Figures before = figures;
  for (const auto& [name, value] : before) {
    if (!IsVersion(name) || value.IsList()) continue;
    figures[name] = CanonicalVersion(name, value).AsList().front();
  }
  return figures;
}

void AddCanonicalForms(Figures* figures) {
  // What a line says of two ranks, or of two builds.
  for (const char* name : {"rank", "optype", "cuda"}) {
    const Figure* other = figures->Find(std::string("other_") + name);
    if (other == nullptr || !figures->Contains(name)) continue;
    Figure::List both = (*figures)[name].AsList();
    for (const Figure& one : other->AsList()) AddOnce(one, &both);
    (*figures)[name] = both;
  }
  AddSignalOfExitCode(figures);
  const Figures before = *figures;
  for (const auto& [name, value] : before) {
    Figure::List list = value.AsList();
    for (const Figure& one : value.AsList()) {
      if (name == "cuda_error") AddCudaError(one, &list);
      if (name == "cudnn_status") AddCudnnStatus(one, &list);
      if (name == "signal") AddSignal(one, &list);
    }
    Figure& figure = (*figures)[name];
    if (list.size() > 1) figure = list;
    if (IsVersion(name)) AddVersions(name, &figure);
  }
}

}  // namespace inquest::findings
