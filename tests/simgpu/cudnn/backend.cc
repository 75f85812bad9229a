// SPDX-License-Identifier: Apache-2.0
// The backend API: descriptors, heuristics, plans and their execution.
#include "cudnn/backend.h"

#include <algorithm>
#include <cstring>

#include "cudnn/handle.h"
#include "cudnn/report.h"

namespace simgpu::cudnn {

int64_t Backend::Number(int name) const {
  const auto at = attributes.find(name);
  int64_t number = 0;
  if (at == attributes.end()) return 0;
  std::memcpy(&number, at->second.bytes.data(),
              std::min(sizeof number, at->second.bytes.size()));
  return number;
}

const void* Backend::Pointer(int name) const {
  return reinterpret_cast<const void*>(Number(name));
}

const Backend* Backend::Held(int name) const {
  const auto at = attributes.find(name);
  return at == attributes.end() || at->second.held.empty()
             ? nullptr
             : at->second.held.front().get();
}

size_t BytesOf(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR:
      return 1;
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
      return 8;
    case CUDNN_TYPE_FRACTION:
      return sizeof(cudnnFraction_t);
    default:
      return 4;
  }
}

namespace {

Backend* In(cudnnBackendDescriptor_t descriptor) {
  return descriptor == nullptr
             ? nullptr
             : static_cast<BackendHandle*>(descriptor)->holds.get();
}

// Whether the attributes that a descriptor of this type needs are set.
bool Complete(const Backend& d) {
  switch (d.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      return d.Has(CUDNN_ATTR_TENSOR_DATA_TYPE) &&
             d.Has(CUDNN_ATTR_TENSOR_DIMENSIONS) &&
             d.Has(CUDNN_ATTR_TENSOR_STRIDES);
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      return d.Has(CUDNN_ATTR_OPERATIONGRAPH_OPS);
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      return d.Has(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
      return d.Has(CUDNN_ATTR_ENGINECFG_ENGINE);
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      return d.Has(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
    default:
      return true;
  }
}

// Copies the held descriptors into the caller's.
cudnnStatus_t GiveHeld(const Call& call,
                       const std::vector<std::shared_ptr<const Backend>>& held,
                       int64_t asked, int64_t* given, void* out) {
  auto* to = static_cast<cudnnBackendDescriptor_t*>(out);
  *given = std::min(asked, static_cast<int64_t>(held.size()));
  for (int64_t i = 0; i < *given; ++i) {
    Backend* target = In(to[i]);
    SIMGPU_CUDNN_REFUSE(call,
                        target == nullptr || target->type != held[i]->type,
                        CUDNN_STATUS_BAD_PARAM);
    *target = *held[i];
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t GiveConfigs(const Call& call, const Backend& heuristic,
                          int64_t asked, int64_t* given, void* out) {
  const auto& graph =
      heuristic.attributes.at(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH)
          .held.front();
  std::vector<std::shared_ptr<const Backend>> configs;
  for (int engine = kEngines - 1; engine >= 0; --engine) {
    configs.push_back(ConfigFor(graph, engine));
  }
  return GiveHeld(call, configs, asked, given, out);
}

cudnnStatus_t GiveNumber(size_t number, int64_t asked, int64_t* given,
                         void* out) {
  *given = 1;
  if (asked >= 1) std::memcpy(out, &number, sizeof number);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t GiveStored(const Call& call, const Backend& d, int name,
                         int64_t asked, int64_t* given, void* out) {
  const auto at = d.attributes.find(name);
  SIMGPU_CUDNN_REFUSE(
      call, at == d.attributes.end() || name == CUDNN_ATTR_OPERATIONGRAPH_OPS,
      CUDNN_STATUS_NOT_SUPPORTED);
  if (at->second.type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    return GiveHeld(call, at->second.held, asked, given, out);
  }
  *given = std::min(asked, at->second.count);
  if (*given > 0) {
    std::memcpy(out, at->second.bytes.data(),
                static_cast<size_t>(*given) * BytesOf(at->second.type));
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t Keep(const Call& call, Backend::Attribute* attribute,
                   const void* elements) {
  const auto count = static_cast<size_t>(attribute->count);
  if (attribute->type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const auto* bytes = static_cast<const char*>(elements);
    attribute->bytes.assign(bytes, bytes + count * BytesOf(attribute->type));
    return CUDNN_STATUS_SUCCESS;
  }
  const auto* held = static_cast<const cudnnBackendDescriptor_t*>(elements);
  for (size_t i = 0; i < count; ++i) {
    SIMGPU_CUDNN_REFUSE(call, In(held[i]) == nullptr || !In(held[i])->finished,
                        CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
    attribute->held.push_back(std::make_shared<Backend>(*In(held[i])));
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t RunPlan(const Call& call, cudnnHandle_t handle,
                      const Backend& plan, const Backend& pack) {
  const size_t needed =
      WorkspaceOf(*plan.Held(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG));
  const void* workspace = pack.Pointer(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  SIMGPU_CUDNN_REFUSE(call, needed > 0 && workspace == nullptr,
                      CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
  const void* first = pack.Pointer(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  if (workspace == nullptr) return Execute(call, handle, {first});
  return Execute(call, handle, {first, workspace});
}

}  // namespace
}  // namespace simgpu::cudnn

using namespace simgpu::cudnn;

extern "C" {

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* out) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, out == nullptr,
                      CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
  auto made = std::make_shared<Backend>();
  made->type = type;
  *out = new BackendHandle{std::move(made)};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t d) {
  SIMGPU_CUDNN_CALL(call);
  delete static_cast<BackendHandle*>(d);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t d,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type,
                                       int64_t count, const void* elements) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, In(d) == nullptr || In(d)->finished || count < 0,
                      CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, count > 0 && elements == nullptr,
                      CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
  Backend::Attribute attribute{type, count, {}, {}};
  const cudnnStatus_t kept = Keep(call, &attribute, elements);
  if (kept == CUDNN_STATUS_SUCCESS) {
    In(d)->attributes[name] = std::move(attribute);
  }
  return kept;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const d,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t,
                                       int64_t asked, int64_t* count,
                                       void* elements) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, In(d) == nullptr, CUDNN_STATUS_BAD_PARAM);
  SIMGPU_CUDNN_REFUSE(call, !In(d)->finished, CUDNN_STATUS_NOT_INITIALIZED);
  int64_t unused = 0;
  int64_t* given = count == nullptr ? &unused : count;
  const Backend& from = *In(d);
  if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS) {
    return GiveConfigs(call, from, asked, given, elements);
  }
  if (name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE) {
    return GiveNumber(
        WorkspaceOf(*from.Held(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)), asked,
        given, elements);
  }
  if (name == CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE) {
    return GiveNumber(WorkspaceOf(from), asked, given, elements);
  }
  return GiveStored(call, from, name, asked, given, elements);
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t d) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, In(d) == nullptr || !Complete(*In(d)),
                      CUDNN_STATUS_BAD_PARAM);
  const char* why = WhyNotFinished(*In(d));
  if (why != nullptr) return call.Fail(CUDNN_STATUS_BAD_PARAM, why);
  In(d)->finished = true;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle,
                                  cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t pack) {
  const Call call(__func__, handle);
  if (call.injected() != CUDNN_STATUS_SUCCESS) return call.injected();
  SIMGPU_CUDNN_REFUSE(call,
                      handle == nullptr || In(plan) == nullptr ||
                          In(pack) == nullptr || !In(plan)->finished ||
                          !In(pack)->finished,
                      CUDNN_STATUS_BAD_PARAM);
  return RunPlan(call, handle, *In(plan), *In(pack));
}

}  // extern "C"
