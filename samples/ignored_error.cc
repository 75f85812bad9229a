// SPDX-License-Identifier: Apache-2.0
// Dies of kernel/illegal-access: a kernel gets a pointer that was freed, the
// program ignores the error, and forty more calls fail after it. Only the last
// result is checked. The kernel is PTX text, so no nvcc is needed; on a real
// card it stores through the pointer and faults there.
#include <cstdio>

#include "common/check.h"
#include "common/options.h"
#include "common/training.h"

namespace samples {
namespace {

constexpr char kScalePtx[] = R"(
.version 6.0
.target sm_50
.address_size 64

.visible .entry scale_gradients(
    .param .u64 gradients,
    .param .u32 count
)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [gradients];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, 0;
    st.global.u32 [%rd2], %r1;
    ret;
}
)";

CUfunction LoadScaleKernel() {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CHECK_DRIVER(cuModuleLoadData(&module, kScalePtx));
  CHECK_DRIVER(cuModuleGetFunction(&function, module, "scale_gradients"));
  return function;
}

CUresult ScaleGradients(CUfunction kernel, const void* gradients) {
  auto address = reinterpret_cast<CUdeviceptr>(gradients);
  unsigned count = 1;
  void* parameters[] = {&address, &count};
  return cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                        nullptr);
}

// The calls after the fault, whose results are ignored.
void IgnoreErrors(long calls) {
  for (long i = 0; i < calls; ++i) {
    void* memory = nullptr;
    static_cast<void>(cudaMalloc(&memory, 1 << 20));
    static_cast<void>(cudaMemset(memory, 0, 1 << 20));
  }
}

}  // namespace
}  // namespace samples

int main(int argc, char** argv) {
  using namespace samples;
  Options options(argc, argv, "ignores an illegal access and goes on");
  const long steps = options.Number("--steps", 10, "good steps before it");
  const long calls = options.Number("--calls", 40, "failing calls after it");
  options.Finish();

  const DeviceInfo device = OpenDevice();
  const CUfunction kernel = LoadScaleKernel();
  TrainingLoop(steps, 5, [&](long) {
    const Tensor gradients(device.total / 64);
    CHECK_DRIVER(ScaleGradients(kernel, gradients.data()));
    CHECK_CUDA(cudaDeviceSynchronize());
  });
  void* stale = nullptr;
  CHECK_CUDA(cudaMalloc(&stale, device.total / 64));
  CHECK_CUDA(cudaFree(stale));
  static_cast<void>(ScaleGradients(kernel, stale));
  static_cast<void>(cudaDeviceSynchronize());
  IgnoreErrors(calls / 2);
  std::printf("saving the checkpoint\n");
  CHECK_CUDA(cudaDeviceSynchronize());
  std::printf("done\n");
  return 0;
}
