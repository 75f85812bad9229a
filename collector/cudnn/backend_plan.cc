// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/backend_plan.h"

#include <cudnn.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "collector/core/dlsym_hook.h"
#include "collector/cudnn/cudnn_hash.h"
#include "collector/cudnn/cudnn_names.h"
#include "collector/cudnn/cudnn_operations.h"
#include "collector/process/modules.h"
#include "trace/records/records.h"

namespace inquest::collector {
namespace {

constexpr int64_t kMaxKnobs = 32;  // an engine has a few of the 44 kinds

// The library's own functions, not our wrappers of them.
struct BackendLibrary {
  decltype(&cudnnBackendCreateDescriptor) create = nullptr;
  decltype(&cudnnBackendDestroyDescriptor) destroy = nullptr;
  decltype(&cudnnBackendGetAttribute) get = nullptr;
  void (*last_text)(char*, size_t) = nullptr;

  explicit BackendLibrary(const void* real) {
    void* handle = HandleOf(real);
    if (handle == nullptr) return;
    Find(handle, "cudnnBackendCreateDescriptor", &create);
    Find(handle, "cudnnBackendDestroyDescriptor", &destroy);
    Find(handle, "cudnnBackendGetAttribute", &get);
    Find(handle, "cudnnGetLastErrorString", &last_text);
  }
  bool complete() const { return create && destroy && get; }

 private:
  template <typename Function>
  static void Find(void* handle, const char* name, Function* to) {
    void* found = RealDlsym(handle, name);
    if (found != nullptr && !IsOurs(found)) {
      *to = reinterpret_cast<Function>(found);
    }
  }
};

// Our own descriptor for the library to copy into.
class Copy {
 public:
  Copy(const BackendLibrary& library, cudnnBackendDescriptorType_t type)
      : library_(library) {
    if (library.create(type, &at_) != CUDNN_STATUS_SUCCESS) at_ = nullptr;
  }
  ~Copy() {
    if (at_ != nullptr) library_.destroy(at_);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  bool From(void* descriptor, cudnnBackendAttributeName_t name) {
    int64_t count = 0;
    return at_ != nullptr &&
           library_.get(descriptor, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                        &count, &at_) == CUDNN_STATUS_SUCCESS &&
           count == 1;
  }
  bool Number(cudnnBackendAttributeName_t name,
              cudnnBackendAttributeType_t type, void* to) const {
    int64_t count = 0;
    return library_.get(at_, name, type, 1, &count, to) ==
               CUDNN_STATUS_SUCCESS &&
           count == 1;
  }
  void* at() const { return at_; }

 private:
  const BackendLibrary& library_;
  cudnnBackendDescriptor_t at_ = nullptr;
};

void AddKnob(const BackendLibrary& library, void* knob, BackendNote* note) {
  int type = 0;
  int64_t value = 0;
  int64_t count = 0;
  if (library.get(knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE,
                  1, &count, &type) != CUDNN_STATUS_SUCCESS ||
      library.get(knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1,
                  &count, &value) != CUDNN_STATUS_SUCCESS) {
    return;
  }
  const char* name = CudnnName("cudnnBackendKnobType_t", type);
  const size_t room = size_t{note->room} - note->size;
  const int printed = std::snprintf(
      note->rest + note->size, room, "%s%s %lld", note->size > 0 ? ", " : "",
      name == nullptr ? "other" : name, static_cast<long long>(value));
  // A part that does not fit is left out entirely.
  if (printed > 0 && static_cast<size_t>(printed) < room) {
    note->size = static_cast<uint16_t>(note->size + printed);
  }
  CudnnHash hash;
  hash.Add(type, 0);
  hash.Add(static_cast<uint64_t>(value));
  note->hash += hash.value();
}

void AskKnobs(const BackendLibrary& library, const Copy& config,
              BackendNote* note) {
  cudnnBackendDescriptor_t knobs[kMaxKnobs];
  int64_t made = 0;
  while (made < kMaxKnobs &&
         library.create(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, &knobs[made]) ==
             CUDNN_STATUS_SUCCESS) {
    ++made;
  }
  int64_t count = 0;
  if (library.get(config.at(), CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                  CUDNN_TYPE_BACKEND_DESCRIPTOR, made, &count,
                  knobs) == CUDNN_STATUS_SUCCESS) {
    for (int64_t i = 0; i < std::min(made, count); ++i) {
      AddKnob(library, knobs[i], note);
    }
  }
  for (int64_t i = 0; i < made; ++i) library.destroy(knobs[i]);
}

}  // namespace

void AskBackendPlan(void* plan, const void* real, BackendNote* note) {
  const BackendLibrary library(real);
  if (!library.complete()) return;
  note->size = 0;
  note->hash = 0;
  int64_t asked = 0, index = 0, count = 0;
  bool told =
      library.get(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                  CUDNN_TYPE_INT64, 1, &count, &asked) == CUDNN_STATUS_SUCCESS;
  if (told) note->workspace_asked = asked;
  Copy config(library, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  Copy engine(library, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  if (config.From(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG) &&
      engine.From(config.at(), CUDNN_ATTR_ENGINECFG_ENGINE) &&
      engine.Number(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, &index)) {
    note->engine = static_cast<int32_t>(index);
    AskKnobs(library, config, note);
  } else {
    told = false;
  }
  char unheard[64];
  if (!told && library.last_text != nullptr) {
    library.last_text(unheard, sizeof unheard);
  }
}

}  // namespace inquest::collector
