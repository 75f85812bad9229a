// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/steps/frame_roles.h"

#include <string>
#include <string_view>

#include "base/text.h"

namespace inquest::memory {
namespace {

// "samples::Model::Forward" and "Linear.forward" end in "forward".
std::string_view LastName(std::string_view function) {
  const size_t at = function.find_last_of(".:");
  return at == function.npos ? function : function.substr(at + 1);
}

bool IsAutotuner(std::string_view function, std::string_view file) {
  return ContainsAny(function,
                     {"autotun", "do_bench", "benchmark_all_configs"}) ||
         ContainsAny(file, {"autotun", "triton/testing"});
}

bool IsLoader(std::string_view function, std::string_view file) {
  return ContainsAny(function, {"dataloader", "collate", "prefetcher"}) ||
         ContainsAny(file, {"utils/data/", "dataloader", "data_loader"});
}

bool IsOptimizer(std::string_view function, std::string_view file) {
  return ContainsAny(function,
                     {"optimizer", "adam", "fused_sgd", "multi_tensor_",
                      "single_tensor_", "apply_gradients"}) ||
         ContainsAny(file, {"/optim/", "/optimizers/", "optax"}) ||
         (LastPart(file).starts_with("optim") && LastName(function) == "step");
}

}  // namespace

FrameRole RoleOf(const Frame& frame) {
  const std::string function = ToLower(frame.function);
  const std::string file = ToLower(frame.file);
  const std::string_view last = LastName(function);
  if (IsAutotuner(function, file)) return FrameRole::kAutotuner;
  if (IsLoader(function, file)) return FrameRole::kLoader;
  if (IsOptimizer(function, file)) return FrameRole::kOptimizer;
  if (ContainsAny(function,
                  {"backward", "autograd::engine", "value_and_grad"})) {
    return FrameRole::kBackward;
  }
  return last == "forward" ? FrameRole::kModule : FrameRole::kOther;
}

}  // namespace inquest::memory
