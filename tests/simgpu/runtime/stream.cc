// SPDX-License-Identifier: Apache-2.0
// Streams and events.
#include "runtime/api.h"

namespace simgpu::runtime {

cudaError_t cudaStreamCreate(cudaStream_t* out) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuStreamCreate(out, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuStreamCreate(out, flags); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags,
                                         int priority) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuStreamCreateWithPriority(out, flags, priority);
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuStreamDestroy_v2(stream); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuStreamSynchronize(stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuStreamQuery(stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuStreamWaitEvent(stream, event, flags);
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuStreamGetFlags(stream, flags); });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuStreamGetPriority(stream, priority);
  });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuStreamGetId(stream, id); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus* status) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuStreamIsCapturing(
        stream, reinterpret_cast<CUstreamCaptureStatus*>(status));
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void* data) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuLaunchHostFunc(stream, function, data);
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuEventCreate(out, flags); });
}

cudaError_t cudaEventCreate(cudaEvent_t* out) {
  return runtime::cudaEventCreateWithFlags(out, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuEventDestroy_v2(event); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuEventRecord(event, stream); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned) {
  return runtime::cudaEventRecord(event, stream);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuEventQuery(event); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuEventSynchronize(event); });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start,
                                 cudaEvent_t end) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuEventElapsedTime(ms, start, end);
  });
}

}  // namespace simgpu::runtime
