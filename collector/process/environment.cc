// SPDX-License-Identifier: Apache-2.0
// Records the process's identity and the settings it was started with. Only
// variables whose names are in the list below are recorded, because the rest
// may contain secrets; what looks like one is masked in these, too, and in the
// command line.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/secrets/secrets.h"
#include "collector/core/emit.h"
#include "collector/core/source.h"
#include "collector/process/command_line.h"

extern char** environ;

namespace inquest::collector {
namespace {

// A name that ends in '*' stands for all names with that prefix.
constexpr std::string_view kAllowed[] = {
    "CUDA_*",
    "CUDNN_*",
    "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_TF32_OVERRIDE",
    "NCCL_*",
    "NVSHMEM_*",
    "TORCH_NCCL_*",
    "TORCH_DISTRIBUTED_DEBUG",
    "GLOO_SOCKET_IFNAME",
    "CUBLAS_WORKSPACE_CONFIG",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_HIP_ALLOC_CONF",
    "PYTORCH_NO_CUDA_MEMORY_CACHING",
    "PYTORCH_NVML_BASED_CUDA_CHECK",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "TORCH_USE_CUDA_DSA",
    "TORCH_CUDNN_*",
    "TORCH_CUDA_ARCH_LIST",
    "TF_GPU_*",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "TF_CUDNN_*",
    "TF_CUDA_*",
    "TF_DETERMINISTIC_OPS",
    "TF_FORCE_UNIFIED_MEMORY",
    "TF_ENABLE_ONEDNN_OPTS",
    "TF_XLA_FLAGS",
    "TF_BFC_MEMORY_DUMP",
    "XLA_*",
    "JAX_PLATFORMS",
    "JAX_PLATFORM_NAME",
    "JAX_ENABLE_X64",
    "JAX_CUDA_*",
    "RANK",
    "LOCAL_RANK",
    "GROUP_RANK",
    "WORLD_SIZE",
    "LOCAL_WORLD_SIZE",
    "MASTER_PORT",
    "TORCHELASTIC_RUN_ID",
    "TORCHELASTIC_RESTART_COUNT",
    "OMPI_COMM_WORLD_*",
    "PMI_RANK",
    "PMI_SIZE",
    "SLURM_JOB_ID",
    "SLURM_STEP_ID",
    "SLURM_PROCID",
    "SLURM_LOCALID",
    "SLURM_NODEID",
    "SLURM_NTASKS",
    "SLURM_NNODES",
    "SLURM_ARRAY_JOB_ID",
    "SLURM_ARRAY_TASK_ID",
    "SLURM_RESTART_COUNT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "OMP_NUM_THREADS",
    "INQUEST*",
};

bool IsAllowed(std::string_view name) {
  for (const std::string_view allowed : kAllowed) {
    if (allowed.back() == '*' ? name.substr(0, allowed.size() - 1) ==
                                    allowed.substr(0, allowed.size() - 1)
                              : name == allowed) {
      return true;
    }
  }
  return false;
}

// The first of these variables that holds a number.
int64_t FirstNumber(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* text = getenv(name);
    char* end = nullptr;
    const int64_t value = text == nullptr ? 0 : std::strtoll(text, &end, 10);
    if (end != nullptr && end != text && *end == '\0') return value;
  }
  return trace::kNoNumber;
}

std::string_view FirstText(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* text = getenv(name);
    if (text != nullptr && *text != '\0') return text;
  }
  return {};
}

void EmitProcess() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  char executable[4096] = "";
  if (readlink("/proc/self/exe", executable, sizeof executable - 1) < 0) {
    executable[0] = '\0';
  }
  const std::string command = CommandLineOf("self");
  trace::ProcessRecord record;
  record.pid = getpid();
  record.parent_pid = getppid();
  record.start_ns = MonotonicNs();
  record.host = host;
  record.executable = executable;
  record.command = command;
  record.rank =
      FirstNumber({"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"});
  record.local_rank = FirstNumber(
      {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"});
  record.world_size = FirstNumber(
      {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"});
  record.job_id = FirstText({"SLURM_JOB_ID", "TORCHELASTIC_RUN_ID"});
  Emit(record);
}

void EmitEnvironment() {
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = entry.substr(0, equals);
    if (!IsAllowed(name)) continue;
    Emit(trace::EnvironmentRecord{
        name, MaskVariable(name, entry.substr(equals + 1))});
  }
}

}  // namespace

constinit const Source kProcessSource = {
    .name = "process",
    .start =
        [](const Config&) {
          EmitProcess();
          EmitEnvironment();
        },
};

}  // namespace inquest::collector
