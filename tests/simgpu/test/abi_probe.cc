// SPDX-License-Identifier: Apache-2.0
// Calls the stand-ins as a program would and prints their answers, one "name
// value" per line; abi_test.py has the expected ones. The argument chooses the
// part.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "nvml/nvml.h"

extern "C" {
nvmlReturn_t nvmlInit_v2();
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned, nvmlDevice_t*);
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t, nvmlMemory_t*);
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t, unsigned*,
                                                     nvmlProcessInfo_t*);
nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t*);
nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t, unsigned long long,
                                      nvmlEventSet_t);
nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t, nvmlEventData_t*, unsigned);
const char* nvmlErrorString(nvmlReturn_t);
}

namespace {

void Say(const char* name, long long value) {
  std::printf("%s %lld\n", name, value);
}

constexpr char kPtx[] = R"(
.version 7.0
.target sm_70
.address_size 64
// .entry not_this(.param .u64 x)
.visible .entry touch(.param .u64 .ptr .global p, .param .u32 n,
                      .param .b64 scalar, .param .align 8 .b8 blob[24])
{ ret; }
)";

CUresult Launch(CUfunction function, CUdeviceptr pointer) {
  unsigned count = 7;
  unsigned long long scalar = 0xdead;
  char blob[24] = {};
  void* parameters[] = {&pointer, &count, &scalar, blob};
  return cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters,
                        nullptr);
}

void Alloc() {
  void* memory = nullptr;
  Say("malloc", cudaMalloc(&memory, 1000000));
  char out[16] = "unset";
  cudaMemcpy(memory, "hello, device", 14, cudaMemcpyHostToDevice);
  cudaMemcpy(out, memory, 14, cudaMemcpyDeviceToHost);
  std::printf("roundtrip %s\n",
              std::strcmp(out, "hello, device") == 0 ? "good" : "bad");
  Say("overrun", cudaMemcpy(memory, out, 2000000, cudaMemcpyHostToDevice));
  Say("too_much", cudaMalloc(&memory, size_t{1} << 40));
  Say("last", cudaGetLastError());
  Say("last_again", cudaGetLastError());
  Say("bad_free", cudaFree(out));
}

void Sticky() {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  void* memory = nullptr;
  cudaMalloc(&memory, 4096);
  Say("load", cuModuleLoadData(&module, kPtx));
  Say("missing", cuModuleGetFunction(&function, module, "not_this"));
  Say("get", cuModuleGetFunction(&function, module, "touch"));
  Say("good", Launch(function, reinterpret_cast<CUdeviceptr>(memory)));
  Say("sync", cudaDeviceSynchronize());
  Say("bad", Launch(function, 0x1234));
  Say("sync_bad", cudaDeviceSynchronize());
  Say("malloc_bad", cudaMalloc(&memory, 4096));
  Say("peek", cudaPeekAtLastError());
  cudaGetLastError();
  Say("still", cudaGetLastError());
  Say("reset", cudaDeviceReset());
  Say("malloc_reset", cudaMalloc(&memory, 4096));
}

void Pools() {
  size_t before = 0;
  size_t during = 0;
  size_t after = 0;
  size_t total = 0;
  void* memory = nullptr;
  cudaMemGetInfo(&before, &total);
  Say("async", cudaMallocAsync(&memory, 1 << 20, nullptr));
  cudaMemGetInfo(&during, &total);
  Say("taken", static_cast<long long>(before - during));
  Say("free", cudaFreeAsync(memory, nullptr));
  cudaDeviceSynchronize();
  cudaMemGetInfo(&after, &total);
  Say("left", static_cast<long long>(before - after));
}

void Virtual() {
  CUmemAllocationProp prop = {};
  CUmemGenericAllocationHandle handle = 0;
  CUdeviceptr address = 0;
  constexpr size_t kBytes = 64 << 20;
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  cudaFree(nullptr);
  Say("create", cuMemCreate(&handle, kBytes, &prop, 0));
  Say("reserve", cuMemAddressReserve(&address, kBytes, 0, 0, 0));
  Say("map", cuMemMap(address, kBytes, 0, handle, 0));
  Say("map_twice", cuMemMap(address, kBytes, 0, handle, 0));
  Say("release", cuMemRelease(handle));
  Say("unmap", cuMemUnmap(address, kBytes));
  Say("address_free", cuMemAddressFree(address, kBytes));
  size_t free = 0;
  size_t total = 0;
  cudaMemGetInfo(&free, &total);
  Say("huge", cuMemCreate(&handle, total, &prop, 0));
}

void Entry() {
  void* function = nullptr;
  CUdriverProcAddressQueryResult status;
  Say("entry", cuGetProcAddress("cuMemAlloc", &function, 12000, 0, &status));
  Say("is_v2", function == dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"));
  Say("old", cuGetProcAddress("cuCtxCreate", &function, 11000, 0, &status));
  Say("none", cuGetProcAddress("cuNoSuch", &function, 12000, 0, &status));
  Say("status", status);
  Say("not_done", cuGraphCreate(nullptr, 0));
}

std::string g_message;

void OnMessage(cudnnSeverity_t, void*, const cudnnDebug_t*, const char* text) {
  g_message = text;
}

void Cudnn() {
  cudnnHandle_t handle = nullptr;
  cudnnTensorDescriptor_t tensor = nullptr;
  Say("version", static_cast<long long>(cudnnGetVersion()));
  Say("create", cudnnCreate(&handle));
  cudnnSetCallback(CUDNN_SEV_ERROR_EN, nullptr, OnMessage);
  cudnnCreateTensorDescriptor(&tensor);
  Say("bad_shape", cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW,
                                              CUDNN_DATA_FLOAT, 1, -3, 4, 4));
  std::printf("message %s\n", g_message.c_str());
  char text[128];
  cudnnGetLastErrorString(text, sizeof text);
  std::printf("last %s\n", text);
  size_t size = 0;
  Say("not_done",
      cudnnGetReductionWorkspaceSize(handle, nullptr, nullptr, nullptr, &size));
  Say("cnn", cudnnCnnVersionCheck());
}

void Nvml() {
  nvmlDevice_t device = nullptr;
  nvmlMemory_t memory = {};
  Say("init", nvmlInit_v2());
  Say("handle", nvmlDeviceGetHandleByIndex_v2(0, &device));
  Say("memory", nvmlDeviceGetMemoryInfo(device, &memory));
  Say("used_before", static_cast<long long>(memory.used));
  void* block = nullptr;
  cudaMalloc(&block, 64 << 20);
  nvmlDeviceGetMemoryInfo(device, &memory);
  Say("used", static_cast<long long>(memory.used));
  unsigned count = 8;
  std::vector<nvmlProcessInfo_t> list(count);
  nvmlDeviceGetComputeRunningProcesses_v3(device, &count, list.data());
  Say("processes", count);
  for (unsigned i = 0; i < count; ++i) {
    std::printf(
        "process_%s %llu\n",
        list[i].pid == static_cast<unsigned>(getpid()) ? "own" : "other",
        list[i].usedGpuMemory);
  }
  nvmlEventSet_t set = nullptr;
  nvmlEventData_t event = {};
  nvmlEventSetCreate(&set);
  nvmlDeviceRegisterEvents(device, nvmlEventTypeXidCriticalError, set);
  Say("event", nvmlEventSetWait_v2(set, &event, 300));
  Say("xid", static_cast<long long>(event.eventData));
  Say("after", nvmlDeviceGetMemoryInfo(device, &memory));
  // Each library starts the fault by its own clock, at slightly different
  // times.
  cudaError_t error = cudaSuccess;
  for (int i = 0; i < 200 && error == cudaSuccess; ++i) {
    usleep(10000);
    error = cudaMalloc(&block, 4096);
  }
  Say("cuda_after", error);
}

// Keeps its memory until killed.
void Hold() {
  void* memory = nullptr;
  Say("hold", cudaMalloc(&memory, 512 << 20));
  std::fflush(stdout);
  pause();
}

void Fork() {
  cudaFree(nullptr);
  std::fflush(stdout);
  if (fork() == 0) {
    void* memory = nullptr;
    Say("child", cudaMalloc(&memory, 4096));
    std::fflush(stdout);
    _exit(0);
  }
  sleep(1);
}

struct Part {
  const char* name;
  void (*run)();
};

constexpr Part kParts[] = {
    {"alloc", Alloc},     {"sticky", Sticky}, {"pools", Pools},
    {"virtual", Virtual}, {"entry", Entry},   {"cudnn", Cudnn},
    {"nvml", Nvml},       {"hold", Hold},     {"fork", Fork}};

}  // namespace

int main(int argc, char** argv) {
  for (const Part& part : kParts) {
    if (argc == 2 && std::strcmp(argv[1], part.name) == 0) {
      part.run();
      return 0;
    }
  }
  std::fprintf(stderr, "abi_probe: no such part\n");
  return 2;
}
