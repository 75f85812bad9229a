// SPDX-License-Identifier: Apache-2.0
// Engines of the simulated cuDNN, their knobs and workspaces.
#include <cstring>

#include "cudnn/backend.h"
#include "cudnn/descriptors.h"

namespace simgpu::cudnn {
namespace {

template <typename T>
Backend::Attribute One(cudnnBackendAttributeType_t type, T value) {
  Backend::Attribute made{type, 1, std::vector<char>(sizeof value), {}};
  std::memcpy(made.bytes.data(), &value, sizeof value);
  return made;
}

std::shared_ptr<Backend> Make(cudnnBackendDescriptorType_t type) {
  auto made = std::make_shared<Backend>();
  made->type = type;
  made->finished = true;
  return made;
}

std::shared_ptr<const Backend> Knob(cudnnBackendKnobType_t type,
                                    int64_t value) {
  auto knob = Make(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
  knob->attributes = {
      {CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, One(CUDNN_TYPE_KNOB_TYPE, type)},
      {CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, One(CUDNN_TYPE_INT64, value)}};
  return knob;
}

size_t TensorBytes(const Backend& tensor) {
  const auto dims = tensor.attributes.find(CUDNN_ATTR_TENSOR_DIMENSIONS);
  if (dims == tensor.attributes.end()) return 0;
  size_t bytes = BytesOf(static_cast<cudnnDataType_t>(
      tensor.Number(CUDNN_ATTR_TENSOR_DATA_TYPE) & 0xffffffff));
  for (int64_t i = 0; i < dims->second.count; ++i) {
    int64_t size = 0;
    std::memcpy(&size, dims->second.bytes.data() + 8 * i, sizeof size);
    bytes *= static_cast<size_t>(size);
  }
  return bytes;
}

size_t GraphBytes(const Backend& graph) {
  const auto operations = graph.attributes.find(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  if (operations == graph.attributes.end()) return 0;
  size_t bytes = 0;
  for (const auto& operation : operations->second.held) {
    for (const auto& [name, attribute] : operation->attributes) {
      for (const auto& held : attribute.held) {
        if (held->type == CUDNN_BACKEND_TENSOR_DESCRIPTOR) {
          bytes += TensorBytes(*held);
        }
      }
    }
  }
  return bytes;
}

}  // namespace

std::shared_ptr<Backend> ConfigFor(std::shared_ptr<const Backend> graph,
                                   int index) {
  auto engine = Make(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  engine->attributes[CUDNN_ATTR_ENGINE_GLOBAL_INDEX] =
      One(CUDNN_TYPE_INT64, int64_t{index});
  engine->attributes[CUDNN_ATTR_ENGINE_OPERATION_GRAPH] = {
      CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, {}, {graph}};
  auto config = Make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  config->attributes[CUDNN_ATTR_ENGINECFG_ENGINE] = {
      CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, {}, {engine}};
  Backend::Attribute knobs{CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, {}, {}};
  if (index == 1) {
    knobs.held = {Knob(CUDNN_KNOB_TYPE_TILE_SIZE, 4),
                  Knob(CUDNN_KNOB_TYPE_STAGES, 2)};
    knobs.count = 2;
  }
  config->attributes[CUDNN_ATTR_ENGINECFG_KNOB_CHOICES] = knobs;
  return config;
}

size_t WorkspaceOf(const Backend& config) {
  const Backend* engine = config.Held(CUDNN_ATTR_ENGINECFG_ENGINE);
  if (engine == nullptr ||
      engine->Number(CUDNN_ATTR_ENGINE_GLOBAL_INDEX) != 1) {
    return 0;
  }
  const Backend* graph = engine->Held(CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
  return graph == nullptr ? 0 : GraphBytes(*graph);
}

}  // namespace simgpu::cudnn
