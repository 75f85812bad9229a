// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/cudnn_backend.h"

#include <cudnn.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "collector/core/emit.h"
#include "collector/core/thread_state.h"
#include "collector/cudnn/backend_notes.h"
#include "collector/cudnn/backend_plan.h"
#include "collector/cudnn/backend_rejected.h"
#include "collector/cudnn/backend_values.h"
#include "collector/cudnn/cudnn_hash.h"
#include "collector/cudnn/cudnn_names.h"
#include "collector/cudnn/cudnn_operations.h"
#include "collector/cudnn/cudnn_words.h"

namespace inquest::collector {
namespace {

constexpr const char* kExecute = "cudnnBackendExecute";
constexpr size_t kMaxReferences = 64;  // that one attribute may hold
constexpr int kOperationBytes = 700;   // no other note needs as many

// From releases 9.4, 9.8 and 9.0; older headers do not have the names.
constexpr int kKernelCache = 34;
constexpr int kDeviceProperties = 38;
constexpr int kPlanAsText = 405;

constinit BackendNotes g_notes;
std::atomic<int64_t> g_unnoted{0};

// Of the other types only operations have such a name, except the graph.
bool IsOperation(int type) {
  const char* name = CudnnName("cudnnBackendDescriptorType_t", type);
  return name == nullptr || (type >= 10 && !HoldsBackendValues(type) &&
                             type != CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR &&
                             type != CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR &&
                             type != kKernelCache && type != kDeviceProperties);
}

// Bytes of the note of a descriptor of this type; -1: it gets no note.
int RoomFor(int type) {
  switch (type) {
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      return 1700;
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      return 256;
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
      return 0;
    default:
      if (HoldsBackendValues(type)) return kBackendValueBytes;
      return IsOperation(type) ? kOperationBytes : -1;
  }
}

void Append(BackendNote* note, std::string_view text) {
  const size_t size =
      std::min<size_t>(text.size(), size_t{note->room} - note->size);
  std::memcpy(note->rest + note->size, text.data(), size);
  note->size = static_cast<uint16_t>(note->size + size);
}

// Adds a tensor or mode of an operation, or a value of the operation itself.
void AddToOperation(BackendNote* note, const BackendAttribute& attribute) {
  const char* name = CudnnName("cudnnBackendAttributeName_t", attribute.name);
  CudnnWords words;
  uint64_t hash = 0;
  if (attribute.type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const auto* references =
        static_cast<const void* const*>(attribute.elements);
    for (int64_t i = 0; i < attribute.count; ++i) {
      const BackendNote* held = g_notes.Find(references[i]);
      if (held == nullptr) {
        words.AddState(name == nullptr ? "?" : name, "unknown");
      }
      if (held == nullptr || !HoldsBackendValues(held->type)) continue;
      hash = HashBackendValues(*held) + 31 * hash;
      AddBackendWords(name == nullptr ? "?" : name, *held, &words);
    }
  } else {
    hash = AddBackendValue(name, attribute, &words);
  }
  if (words.Text().empty() && hash == 0) return;
  CudnnHash whole;
  whole.Add(static_cast<uint64_t>(attribute.name));
  whole.Add(hash);
  note->hash += whole.value();  // in any order
  if (words.Text().empty()) return;
  if (note->size > 0) Append(note, ", ");
  Append(note, words.Text());
}

void SetOperations(BackendNote* graph, const BackendAttribute& attribute) {
  CudnnHash hash;
  hash.Add(HashOf(kExecute));
  graph->size = 0;
  const auto* operations = static_cast<const void* const*>(attribute.elements);
  for (int64_t i = 0; i < attribute.count; ++i) {
    const BackendNote* operation = g_notes.Find(operations[i]);
    if (operation == nullptr)
      return;  // its text would describe only half of it
    hash.Add(static_cast<uint64_t>(operation->type));
    hash.Add(operation->hash);
    const char* name =
        CudnnName("cudnnBackendDescriptorType_t", operation->type);
    if (graph->size > 0) Append(graph, "; ");
    Append(graph, name == nullptr ? "unknown operation" : name);
    Append(graph, ": ");
    Append(graph, {operation->rest, operation->size});
  }
  graph->hash = hash.id();
}

// A descriptor takes over the operation of the descriptor it is made from.
void Inherit(BackendNote* note, const BackendAttribute& attribute) {
  if (attribute.type != CUDNN_TYPE_BACKEND_DESCRIPTOR || attribute.count != 1) {
    return;
  }
  const BackendNote* made_of =
      g_notes.Find(*static_cast<const void* const*>(attribute.elements));
  if (made_of != nullptr) note->operation = made_of->operation;
}

bool NamesOperation(int attribute) {
  return attribute == CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH ||
         attribute == CUDNN_ATTR_ENGINE_OPERATION_GRAPH ||
         attribute == CUDNN_ATTR_ENGINECFG_ENGINE ||
         attribute == CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG;
}

}  // namespace

void BackendCreated(int type, void* descriptor) {
  const int room = RoomFor(type);
  if (room < 0 ||
      g_notes.Make(descriptor, type, static_cast<size_t>(room)) != nullptr) {
    return;
  }
  const int64_t lost = ++g_unnoted;  // recorded at 1, 2, 4, 8, …
  if ((lost & (lost - 1)) == 0) {
    EmitLoss("cudnn_descriptor", lost == 1 ? 1 : lost / 2,
             "more descriptors of the backend API at a time than are noted");
  }
}

void BackendDestroying(void* descriptor) {
  g_notes.Drop(descriptor);
}

void BackendSet(void* descriptor, int attribute, int type, int64_t count,
                const void* elements) {
  BackendNote* note = g_notes.Find(descriptor);
  if (note == nullptr || elements == nullptr || count < 1) return;
  const BackendAttribute set{attribute, type, count, elements};
  if (HoldsBackendValues(note->type)) return KeepBackendValue(note, set);
  if (static_cast<size_t>(count) > kMaxReferences) {
    if (attribute == kPlanAsText) {
      note->operation = OperationOfBackendJson(
          {static_cast<const char*>(elements), static_cast<size_t>(count)});
    }
    return;
  }
  if (NamesOperation(attribute)) return Inherit(note, set);
  if (attribute == CUDNN_ATTR_OPERATIONGRAPH_OPS) {
    return SetOperations(note, set);
  }
  if (attribute == CUDNN_ATTR_VARIANT_PACK_WORKSPACE) {
    note->workspace = *static_cast<const void* const*>(elements);
  } else if (note->room == kOperationBytes) {
    AddToOperation(note, set);
  }
}

void BackendGot(void* descriptor, int attribute, int64_t room,
                const int64_t* count, const void* elements) {
  const BackendNote* note = g_notes.Find(descriptor);
  if (note == nullptr || elements == nullptr ||
      (attribute != CUDNN_ATTR_ENGINEHEUR_RESULTS &&
       !NamesOperation(attribute))) {
    return;
  }
  const int64_t filled = count == nullptr ? room : std::min(room, *count);
  const auto* results = static_cast<const void* const*>(elements);
  for (int64_t i = 0; i < filled; ++i) {
    BackendNote* result = g_notes.Find(results[i]);
    if (result != nullptr) result->operation = note->operation;
  }
}

void BackendFinalized(void* descriptor, const void* real) {
  BackendNote* note = g_notes.Find(descriptor);
  if (note == nullptr) return;
  InsideScope inside;
  if (note->type == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR &&
      note->hash != 0) {
    note->operation =
        RecordCudnnOperation(note->hash, kExecute, {note->rest, note->size});
  } else if (note->type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
    AskBackendPlan(descriptor, real, note);
  }
}

uint64_t BackendChoice(const char* function, const void* plan,
                       const void* pack) {
  const BackendNote* of_plan = g_notes.Find(plan);
  const BackendNote* of_pack = g_notes.Find(pack);
  trace::CudnnChoiceRecord choice;
  choice.function = function;
  choice.algorithm = kNoAlgorithm;
  uint64_t knobs = 0;
  if (of_plan != nullptr) {
    choice.operation = of_plan->operation;
    choice.algorithm = of_plan->engine;
    choice.workspace_asked = of_plan->workspace_asked;
    choice.knobs = {of_plan->rest, of_plan->size};
    knobs = of_plan->hash;
    // The variant pack has the workspace's address, not its size.
    if (of_pack != nullptr && of_pack->workspace != nullptr) {
      choice.workspace_bytes = std::max<int64_t>(choice.workspace_asked, 0);
    }
  }
  return RecordCudnnChoice(choice, knobs);
}

uint64_t BackendRejection(const char* function, const void* descriptor,
                          const BackendAttribute* attribute) {
  const BackendNote* note = g_notes.Find(descriptor);
  if (note == nullptr) return 0;
  InsideScope inside;
  trace::CudnnChoiceRecord choice;
  choice.function = function;
  choice.algorithm = kNoAlgorithm;
  // Engines and plans are rejected for the graph they are made for.
  choice.operation = note->operation != 0
                         ? note->operation
                         : RejectedBackend(function, *note, attribute);
  return RecordCudnnChoice(choice);
}

void ForgetCudnnBackend() {
  g_notes.Forget();
  g_unnoted.store(0);
}

}  // namespace inquest::collector
