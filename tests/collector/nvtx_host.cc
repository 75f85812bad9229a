// Annotates with NVTX as trainers do, around a little CUDA when asked to.
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  void* block = nullptr;
  if (argc > 1 && std::string(argv[1]) == "cuda") cudaMalloc(&block, 1 << 20);
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
  std::puts("done");
  return 0;
}
