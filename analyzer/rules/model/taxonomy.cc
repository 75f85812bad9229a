#include "analyzer/rules/model/taxonomy.h"

#include <algorithm>

#include "base/text.h"

namespace inquest::rules {

const std::vector<Cause>& Causes() {
  static const std::vector<Cause> causes = {
      {"memory/capacity", "the work needs more memory than the GPU has"},
      {"memory/fragmentation",
       "enough memory was free, but no piece of it was large enough"},
      {"memory/leak", "live memory grew step by step until none was left"},
      {"memory/other-process", "another process held the GPU's memory"},
      {"memory/pool-headroom",
       "the framework's pool took the GPU and a library outside it found no "
       "room"},
      {"memory/host", "the host's own memory, shared or pinned, ran out"},
      {"memory/limit", "a configured limit was reached, not the GPU's end"},
      {"memory/absurd-request", "a size was asked for that cannot be meant"},
      {"version/cudnn-mismatch",
       "the cuDNN that was loaded is not the one that fits"},
      {"version/cuda-mismatch", "CUDA's own libraries do not fit each other"},
      {"version/library-missing", "a shared library or symbol was not found"},
      {"version/driver-too-old", "the driver is older than the CUDA it serves"},
      {"version/driver-mismatch",
       "the kernel's driver and the program's driver library differ"},
      {"version/gpu-unsupported", "nothing was compiled for this GPU"},
      {"cudnn/bad-param", "a cuDNN call got arguments that do not fit"},
      {"cudnn/not-supported", "cuDNN has no algorithm for the configuration"},
      {"cudnn/execution-failed", "a cuDNN kernel failed by itself"},
      {"cudnn/not-initialized", "cuDNN could not start, for no visible reason"},
      {"cublas/failure", "a cuBLAS call failed by itself"},
      {"kernel/illegal-access", "a kernel touched memory that it may not"},
      {"kernel/device-assert", "an assertion in a kernel failed"},
      {"kernel/launch-timeout", "the watchdog ended a kernel"},
      {"kernel/launch-failure", "a kernel failed without saying how"},
      {"kernel/launch-config", "a launch asked for more than the GPU allows"},
      {"hardware/ecc", "the GPU's memory returned wrong data"},
      {"hardware/off-bus", "the GPU vanished from the bus"},
      {"hardware/nvlink", "a link between GPUs failed"},
      {"hardware/gsp", "the GPU's firmware stopped answering"},
      {"hardware/other", "the GPU or its driver failed in another way"},
      {"device/unavailable", "there was no GPU that could be used"},
      {"distributed/collective-timeout",
       "a collective hung and no rank shows why"},
      {"distributed/peer-lost", "another rank went away first"},
      {"distributed/nccl-system", "NCCL could not use its transport"},
      {"distributed/desync", "the ranks issued different collectives"},
      {"distributed/rendezvous", "the job's processes did not find together"},
      {"process/fork-after-init", "CUDA was used in a fork of a CUDA process"},
      {"process/segfault", "the program crashed outside the GPU"},
      {"process/exception", "an ordinary exception ended it"},
      {"process/killed", "it was killed, and nothing shows by whom"},
      {"process/preempted", "the scheduler ended it"},
      {"data/type-mismatch", "types, devices or shapes did not agree"},
      {"data/non-finite", "a NaN or infinity reached code that refuses it"},
      {"none", "nothing fatal happened"},
      {"unknown", "the run died and the evidence does not say of what"},
  };
  return causes;
}

const Cause* FindCause(std::string_view id) {
  for (const Cause& cause : Causes()) {
    if (cause.id == id) return &cause;
  }
  return nullptr;
}

bool LooksLikeCause(std::string_view id) {
  if (id == "none" || id == "unknown") return true;
  const size_t slash = id.find('/');
  if (slash == std::string_view::npos || slash == 0) return false;
  const std::string_view area = id.substr(0, slash);
  const std::string_view name = id.substr(slash + 1);
  const auto word = [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; };
  return std::all_of(area.begin(), area.end(), IsLower) && !name.empty() &&
         std::all_of(name.begin(), name.end(), word);
}

}  // namespace inquest::rules
