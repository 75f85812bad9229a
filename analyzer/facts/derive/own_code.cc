// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/own_code.h"

#include "base/text.h"

namespace inquest::facts {
namespace {

// Python's own modules on Windows lie in PREFIX\lib, as may a program's.
bool IsOfWindowsPython(std::string_view file) {
  constexpr std::string_view kFolder = "\\lib\\";
  constexpr std::string_view kPackages[] = {
      "asyncio\\",   "concurrent\\", "ctypes\\",
      "encodings\\", "http\\",       "importlib\\",
      "json\\",      "logging\\",    "multiprocessing\\",
      "unittest\\",  "urllib\\",     "xml\\"};
  const size_t at = file.find(kFolder);
  if (at == file.npos) return false;
  const std::string_view rest = file.substr(at + kFolder.size());
  return rest.find('\\') == rest.npos || StartsWithAny(rest, kPackages);
}

// A notebook's cells and a job's own files may lie in /tmp, too: only the
// names that a compiler or tempfile gives to a single file count there.
bool IsTemporaryFile(std::string_view file) {
  constexpr std::string_view kBegin = "/tmp/tmp";
  return file.starts_with(kBegin) && file.find('/', kBegin.size()) == file.npos;
}

}  // namespace

bool IsGenerated(std::string_view file) {
  constexpr std::string_view kWriters[] = {"torchinductor",
                                           "inductor_cache",
                                           "torch_compile_cache",
                                           ".triton/cache",
                                           "triton_cache",
                                           "unsloth_compiled_cache",
                                           "__autograph_generated_file",
                                           "<string>",
                                           "<frozen",
                                           "<eval_with_key>"};
  return IsTemporaryFile(file) || ContainsAny(file, kWriters);
}

bool IsOwnCode(std::string_view file) {
  constexpr std::string_view kForeign[] = {
      "/site-packages/", "/dist-packages/", "/lib/python", "/importlib/",
      ".runfiles/", "/bazel-out/", "torch/csrc/", "/runpy.py",
      "site-packages\\",
      // A framework that was built from its sources runs from their folder.
      "/torch/nn/", "/torch/_", "/torch/cuda/", "/torch/xpu/",
      "/torch/autograd/", "/torch/distributed/", "/torch/optim/",
      "/tensorflow/python/", "/jax/_src/", "/deepspeed/runtime/",
      "/deepspeed/ops/", "/deepspeed/comm/", "/deepspeed/inference/",
      "/megatron/core/", "/sglang/srt/", "/vllm/v1/", "/vllm/engine/",
      "/vllm/worker/", "/vllm/executor/", "/vllm/model_executor/"};
  // PyTorch's profiler names files relative to the folder of packages.
  if (file.starts_with("torch/") || IsGenerated(file)) return false;
  if (file.empty() || file.starts_with('<') || file.ends_with(".pyx")) {
    return file.starts_with("<ipython");
  }
  return !IsOfWindowsPython(file) && !ContainsAny(file, kForeign);
}

}  // namespace inquest::facts
