// SPDX-License-Identifier: Apache-2.0
// Annotates with NVTX around a little CUDA when asked to: as trainers do, or in
// one of the floods that profilers and libraries make.
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <string>

namespace {

void Train() {
  nvtxRangePushA("training");
  for (int i = 0; i < 3; ++i) {
    nvtxRangePushA(("Step " + std::to_string(i)).c_str());
    nvtxRangePushA("forward");
    nvtxRangePop();
    nvtxRangePop();
  }
  nvtxRangePop();
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("mine");
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(domain, "epoch 1");
  const nvtxRangeId_t range = nvtxDomainRangeStartEx(domain, &event);
  nvtxMarkA("iteration mark");
  nvtxMarkA("something else");
  nvtxDomainRangeEnd(domain, range);
  nvtxRangePushA("the step in which it died");
}

// As torch.autograd.profiler.emit_nvtx does, with a step around each thousand.
void PushOperations(bool steps) {
  for (int i = 0; i < 40'000; ++i) {
    if (steps && i % 1000 == 0) {
      nvtxRangePushA(("iteration " + std::to_string(i / 1000)).c_str());
    }
    nvtxRangePushA("aten::_batch_norm_impl_index, seq = 7, op_id = 12");
    nvtxRangePushA("aten::empty, op_id = 13");
    nvtxRangePop();
    nvtxRangePop();
    nvtxRangePushA("NativeBatchNormBackward0, op_id = 14");
    nvtxRangePop();
    if (steps && i % 1000 == 999) nvtxRangePop();
  }
}

void Push(const char* name, int times) {
  for (int i = 0; i < times; ++i) {
    nvtxRangePushA(name);
    nvtxRangePop();
  }
}

}  // namespace

int main(int argc, char** argv) {
  void* block = nullptr;
  const std::string what = argc > 1 ? argv[1] : "";
  if (!what.empty()) cudaMalloc(&block, 1 << 20);
  if (what == "operations") {
    PushOperations(true);
    PushOperations(false);
  } else if (what == "unnamed") {
    Push("layer", 20'000);
  } else if (what == "named") {
    Push("layer", 50);
    Push("step", 20'000);
    Push("layer", 50);
  } else if (what == "texts") {  // up to "--"; then it fails
    for (int i = 2; i < argc && argv[i] != std::string("--"); ++i) {
      Push(argv[i], 1);
    }
    return 3;
  } else {
    Train();
  }
  std::puts("done");
  return 0;
}
