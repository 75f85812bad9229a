// SPDX-License-Identifier: Apache-2.0
// Descriptors of the backend API: a type, attributes as they were set, and, for
// references to other descriptors, copies of these at that time. As in the real
// library (seen in 9.19) a descriptor must be finished before it is read, a
// referenced one is read by copying it into one that the caller has made, and
// the operations of a graph cannot be read.
//
// Used by backend.cc (the functions), backend_checks.cc and backend_engine.cc
// (what engines need). Not thread-safe, as the real ones.
#pragma once

#include <cudnn.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace simgpu::cudnn {

struct Backend {
  struct Attribute {
    cudnnBackendAttributeType_t type;
    int64_t count;
    std::vector<char> bytes;
    std::vector<std::shared_ptr<const Backend>> held;
  };
  cudnnBackendDescriptorType_t type;
  bool finished = false;
  std::map<int, Attribute> attributes;

  bool Has(int name) const { return attributes.count(name) != 0; }
  // The first element; 0 or null if it was not set.
  int64_t Number(int name) const;
  const void* Pointer(int name) const;
  const Backend* Held(int name) const;
};

// What a cudnnBackendDescriptor_t points to.
struct BackendHandle {
  std::shared_ptr<Backend> holds;
};

// Bytes of one element of an attribute, 0 for unknown types.
size_t BytesOf(cudnnBackendAttributeType_t type);

// Two engines: 0 works in place, 1 is the fast one and needs a workspace as
// large as all of the graph's tensors.
constexpr int kEngines = 2;
std::shared_ptr<Backend> ConfigFor(std::shared_ptr<const Backend> graph,
                                   int engine);
size_t WorkspaceOf(const Backend& config);

// Why a complete descriptor cannot be finished, null if it can be.
const char* WhyNotFinished(const Backend& descriptor);

}  // namespace simgpu::cudnn
