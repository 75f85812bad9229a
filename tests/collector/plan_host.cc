// SPDX-License-Identifier: Apache-2.0
// Plans of cuDNN's backend API as PyTorch makes them: tensors, a convolution
// and an activation, a graph, what heuristics offer, a plan, packs of
// addresses. `switch N`: N executions with the engine that wants a workspace,
// then the device is filled, and N with the one that wants none; what was made
// on the way is destroyed before a plan runs. `stay N`: the same, and goes on
// until it is killed. `refused`: an execution without the workspace that is
// wanted. `graphs N`: one execution of each of N graphs. `fork`: parent and
// child each execute. `threads N`: N executions in each of four threads, each
// with plans of its own. `loop N`: what an execution takes of the
// processor.
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "checked_calls.h"

namespace {

constexpr size_t kSpare = 8 << 20;

class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    Check(cudnnBackendCreateDescriptor(type, &at_), "create");
  }
  Descriptor(Descriptor&& other) : at_(std::exchange(other.at_, nullptr)) {}
  ~Descriptor() {
    if (at_ != nullptr) cudnnBackendDestroyDescriptor(at_);
  }

  Descriptor& Set(cudnnBackendAttributeName_t name,
                  cudnnBackendAttributeType_t type, const void* elements,
                  int64_t count = 1) {
    Check(cudnnBackendSetAttribute(at_, name, type, count, elements), "set");
    return *this;
  }
  Descriptor& Set(cudnnBackendAttributeName_t name, const Descriptor& other) {
    return Set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, &other.at_);
  }
  Descriptor& Finish() {
    Check(cudnnBackendFinalize(at_), "finalize");
    return *this;
  }
  cudnnBackendDescriptor_t at() const { return at_; }

 private:
  cudnnBackendDescriptor_t at_ = nullptr;
};

Descriptor Tensor(int64_t id, std::vector<int64_t> dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size() - 1; i > 0; --i) {
    strides[i - 1] = strides[i] * dims[i];
  }
  const cudnnDataType_t type = CUDNN_DATA_FLOAT;
  const int64_t alignment = 16;
  const auto count = static_cast<int64_t>(dims.size());
  Descriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.Set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, &type)
      .Set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, dims.data(), count)
      .Set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides.data(), count)
      .Set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, &id)
      .Set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, &alignment)
      .Finish();
  return tensor;
}

Descriptor Convolution(int64_t images) {
  const int64_t two = 2, ones[] = {1, 1};
  const cudnnDataType_t type = CUDNN_DATA_FLOAT;
  const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  Descriptor c(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  c.Set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, &two)
      .Set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, &type)
      .Set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, &mode)
      .Set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, ones, 2)
      .Set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, ones, 2)
      .Set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, ones, 2)
      .Set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, ones, 2)
      .Finish();
  const float one = 1, zero = 0;
  Descriptor o(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  o.Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
        Tensor(1, {images, 64, 56, 56}))
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
           Tensor(2, {64, 64, 3, 3}))
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, c)
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
           Tensor(3, {images, 64, 56, 56}))
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT,
           &one)
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT,
           &zero)
      .Finish();
  return o;
}

Descriptor Relu(int64_t images) {
  const cudnnPointwiseMode_t mode = CUDNN_POINTWISE_RELU_FWD;
  Descriptor relu(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  relu.Set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, &mode)
      .Finish();
  Descriptor o(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  o.Set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, relu)
      .Set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
           Tensor(3, {images, 64, 56, 56}))
      .Set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC,
           Tensor(4, {images, 64, 56, 56}))
      .Finish();
  return o;
}

// The heuristic's `choice`-th answer for `images` pictures at a time.
Descriptor Plan(int64_t images, size_t choice) {
  const Descriptor convolution = Convolution(images), relu = Relu(images);
  const cudnnBackendDescriptor_t operations[] = {convolution.at(), relu.at()};
  Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph
      .Set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
           operations, 2)
      .Finish();
  const cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
  Descriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristic.Set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
      .Set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, &mode)
      .Finish();
  const Descriptor first(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  const Descriptor second(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  cudnnBackendDescriptor_t configs[] = {first.at(), second.at()};
  int64_t count = 0;
  Check(cudnnBackendGetAttribute(heuristic.at(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                 CUDNN_TYPE_BACKEND_DESCRIPTOR, 2, &count,
                                 configs),
        "heuristics");
  Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan.Set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
           choice == 0 ? first : second)
      .Finish();
  return plan;
}

size_t Wanted(const Descriptor& plan) {
  int64_t bytes = 0;
  Check(cudnnBackendGetAttribute(plan.at(),
                                 CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                 CUDNN_TYPE_INT64, 1, nullptr, &bytes),
        "workspace");
  return static_cast<size_t>(bytes);
}

class Device {
 public:
  Device() : data_(Take(1 << 20)) {
    Check(cudnnCreate(&handle_), "cudnnCreate");
  }
  cudnnStatus_t Execute(const Descriptor& plan, void* workspace) {
    const int64_t ids[] = {1, 2, 4};
    void* const addresses[] = {data_, data_, data_};
    Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.Set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, ids, 3)
        .Set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
             addresses, 3)
        .Set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, &workspace)
        .Finish();
    return cudnnBackendExecute(handle_, plan.at(), pack.at());
  }
  void Run(const Descriptor& plan, int times) {
    void* workspace = Take(Wanted(plan));
    for (int i = 0; i < times; ++i) Check(Execute(plan, workspace), "execute");
    cudaFree(workspace);
  }

 private:
  cudnnHandle_t handle_ = nullptr;
  void* data_;
};

void FillDevice() {
  size_t free_bytes = 0, total = 0;
  Check(cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo");
  Take(free_bytes - kSpare);
}

void Fork(Device* device, const Descriptor& plan) {
  device->Run(plan, 3);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 2; ++i) device->Execute(plan, device);
    std::exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  Check(status, "the child");
}

void Threads(int times) {
  std::vector<std::thread> threads;
  for (int64_t images = 1; images <= 4; ++images) {
    threads.emplace_back([=] {
      Device device;
      for (int i = 0; i < times; ++i) device.Run(Plan(images, i % 2u), 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void Crowd(Device* device, int others) {
  {
    std::vector<Descriptor> crowd;
    for (int i = 0; i < others; ++i) {
      crowd.emplace_back(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    }
    device->Run(Plan(8, 1), 1);
  }
  device->Run(Plan(8, 1), 1);
}

// The processor time of this thread.
double ThreadNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec);
}

void Loop(Device* device, int times) {
  const Descriptor plan = Plan(8, 1);
  device->Run(plan, 1000);
  const double begin = ThreadNs();
  device->Run(plan, times);
  std::printf("%.0f ns an execution\n", (ThreadNs() - begin) / times);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const int times = argc > 2 ? std::atoi(argv[2]) : 1;
  Device device;
  if (how == "switch" || how == "stay") {
    device.Run(Plan(8, 0), times);
    FillDevice();
    device.Run(Plan(8, 1), times);
  }
  if (how == "refused") {
    std::printf("%d\n", device.Execute(Plan(8, 0), nullptr));
  }
  if (how == "graphs") {
    for (int i = 1; i <= times; ++i) device.Run(Plan(i, 1), 1);
  }
  if (how == "fork") Fork(&device, Plan(8, 1));
  if (how == "threads") Threads(times);
  if (how == "crowd") Crowd(&device, times);
  if (how == "loop") Loop(&device, times);
  std::puts("done");
  std::fflush(stdout);
  const Descriptor lean = Plan(8, 1);
  while (how == "stay") device.Run(lean, 100);
  return 0;
}
