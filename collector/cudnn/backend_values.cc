// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/backend_values.h"

#include <cudnn.h>

#include <algorithm>
#include <cstring>

#include "collector/cudnn/cudnn_descriptors.h"
#include "collector/cudnn/cudnn_hash.h"
#include "collector/cudnn/cudnn_names.h"

namespace inquest::collector {
namespace {

constexpr int64_t kMaxValues = CudnnContents::kMaxDims;

// The layout of an attribute in a note: this, then its values.
struct Head {
  int16_t name;
  int16_t type;
  int32_t count;
};
static_assert(sizeof(Head) == sizeof(int64_t));

struct Values {
  Head head;
  int64_t at[kMaxValues];
};

// The type of the enumerators, null for plain numbers.
const char* EnumOf(int type) {
  switch (type) {
    case CUDNN_TYPE_POINTWISE_MODE:
      return "cudnnPointwiseMode_t";
    case CUDNN_TYPE_REDUCTION_OPERATOR_TYPE:
      return "cudnnReduceTensorOp_t";
    case CUDNN_TYPE_RESAMPLE_MODE:
      return "cudnnResampleMode_t";
    case CUDNN_TYPE_NORM_MODE:
      return "cudnnBackendNormMode_t";
    case CUDNN_TYPE_NORM_FWD_PHASE:
      return "cudnnBackendNormFwdPhase_t";
    case CUDNN_TYPE_RNG_DISTRIBUTION:
      return "cudnnRngDistribution_t";
    case CUDNN_TYPE_SIGNAL_MODE:
      return "cudnnSignalMode_t";
    case CUDNN_TYPE_GENSTATS_MODE:
      return "cudnnGenStatsMode_t";
    case CUDNN_TYPE_BN_FINALIZE_STATS_MODE:
      return "cudnnBnFinalizeStatsMode_t";
    default:
      return nullptr;
  }
}

// Bytes of one element; 0 for types that are not whole numbers.
size_t SizeOf(int type) {
  switch (type) {
    case CUDNN_TYPE_INT64:
      return 8;
    case CUDNN_TYPE_BOOLEAN:
      return 1;
    case CUDNN_TYPE_INT32:
    case CUDNN_TYPE_DATA_TYPE:
    case CUDNN_TYPE_CONVOLUTION_MODE:
    case CUDNN_TYPE_PADDING_MODE:
    case CUDNN_TYPE_TENSOR_REORDERING_MODE:
      return 4;
    default:
      return EnumOf(type) != nullptr ? 4 : 0;
  }
}

bool Describes(int name) {
  return name != CUDNN_ATTR_TENSOR_UNIQUE_ID &&
         name != CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT;
}

bool Take(const BackendAttribute& attribute, Values* to) {
  const size_t size = SizeOf(attribute.type);
  if (size == 0 || !Describes(attribute.name) || attribute.count < 1 ||
      attribute.count > kMaxValues) {
    return false;
  }
  to->head = {static_cast<int16_t>(attribute.name),
              static_cast<int16_t>(attribute.type),
              static_cast<int32_t>(attribute.count)};
  const auto* from = static_cast<const char*>(attribute.elements);
  for (int64_t i = 0; i < attribute.count; ++i) {
    to->at[i] = 0;
    std::memcpy(&to->at[i], from + static_cast<size_t>(i) * size, size);
  }
  return true;
}

uint64_t HashOfValues(const Values& values) {
  CudnnHash hash;
  hash.Add(values.head.name, values.head.count);
  for (int i = 0; i < values.head.count; ++i) {
    hash.Add(static_cast<uint64_t>(values.at[i]));
  }
  return hash.value();
}

size_t BytesOf(const Head& head) {
  return sizeof head + static_cast<size_t>(head.count) * sizeof(int64_t);
}

// Calls `visit` with each attribute of a note until it returns false.
template <typename Visit>
void EachValue(const BackendNote& note, Visit visit) {
  for (size_t at = 0; at < note.size;) {
    Values values;
    std::memcpy(&values.head, note.rest + at, sizeof values.head);
    std::memcpy(values.at, note.rest + at + sizeof values.head,
                BytesOf(values.head) - sizeof values.head);
    if (!visit(at, values)) return;
    at += BytesOf(values.head);
  }
}

void ToWords(const char* name, const Values& values, CudnnWords* words) {
  const char* kind = EnumOf(values.head.type);
  if (kind != nullptr) return words->AddNamed(name, kind, values.at[0]);
  if (values.head.type == CUDNN_TYPE_INT64 ||
      values.head.type == CUDNN_TYPE_INT32) {
    words->AddList(name, values.at, values.head.count);
  }
}

void CopyTo(const Values& values, int64_t* list, int* count) {
  std::copy(values.at, values.at + values.head.count, list);
  if (count != nullptr) *count = values.head.count;
}

// The same contents as the legacy API's getters would return.
CudnnContents ContentsOf(const BackendNote& note) {
  CudnnContents to;
  to.there = true;
  to.numbers[0] = 1;  // the backend's convolutions have no groups
  EachValue(note, [&](size_t, const Values& values) {
    switch (values.head.name) {
      case CUDNN_ATTR_TENSOR_DATA_TYPE:
        to.type = static_cast<int>(values.at[0]);
        break;
      case CUDNN_ATTR_TENSOR_DIMENSIONS:
      case CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS:
        CopyTo(values, to.lists[0], &to.count);
        break;
      case CUDNN_ATTR_TENSOR_STRIDES:
      case CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES:
        CopyTo(values, to.lists[1], nullptr);
        break;
      case CUDNN_ATTR_CONVOLUTION_DILATIONS:
        CopyTo(values, to.lists[2], nullptr);
        break;
    }
    return true;
  });
  return to;
}

}  // namespace

bool HoldsBackendValues(int type) {
  return type == CUDNN_BACKEND_TENSOR_DESCRIPTOR ||
         type == CUDNN_BACKEND_POINTWISE_DESCRIPTOR ||
         type == CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR ||
         type == CUDNN_BACKEND_MATMUL_DESCRIPTOR ||
         type == CUDNN_BACKEND_REDUCTION_DESCRIPTOR ||
         type == CUDNN_BACKEND_RESAMPLE_DESCRIPTOR ||
         type == CUDNN_BACKEND_RNG_DESCRIPTOR;
}

void KeepBackendValue(BackendNote* note, const BackendAttribute& attribute) {
  Values values;
  if (!Take(attribute, &values)) return;
  size_t place = note->size;
  EachValue(*note, [&](size_t at, const Values& before) {
    const bool same = before.head.name == values.head.name &&
                      before.head.count == values.head.count;
    if (same) place = at;
    return !same;
  });
  const size_t bytes = BytesOf(values.head);
  if (place + bytes > note->room) return;
  std::memcpy(note->rest + place, &values, bytes);
  note->size = std::max(note->size, static_cast<uint16_t>(place + bytes));
}

uint64_t HashBackendValues(const BackendNote& note) {
  uint64_t sum = static_cast<uint64_t>(note.type) + 1;
  EachValue(note, [&](size_t, const Values& values) {
    sum += HashOfValues(values);  // in any order
    return true;
  });
  return sum;
}

// Named only where it differs from the padding in front.
static void AddPaddingBehind(const BackendNote& note, CudnnWords* words) {
  Values front{}, behind{};
  EachValue(note, [&](size_t, const Values& values) {
    if (values.head.name == CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS) front = values;
    if (values.head.name == CUDNN_ATTR_CONVOLUTION_POST_PADDINGS) {
      behind = values;
    }
    return true;
  });
  if (behind.head.count > 0 &&
      !std::equal(behind.at, behind.at + behind.head.count, front.at)) {
    words->AddList("pad behind", behind.at, behind.head.count);
  }
}

void AddBackendWords(const char* name, const BackendNote& note,
                     CudnnWords* words) {
  using Kind = CudnnOperand::Kind;
  if (note.type == CUDNN_BACKEND_TENSOR_DESCRIPTOR) {
    return words->Add({Kind::kTensor, name, nullptr}, ContentsOf(note));
  }
  if (note.type == CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR) {
    words->Add({Kind::kConvolution, name, nullptr}, ContentsOf(note));
    return AddPaddingBehind(note, words);
  }
  EachValue(note, [&](size_t, const Values& values) {
    const char* its =
        CudnnName("cudnnBackendAttributeName_t", values.head.name);
    if (its != nullptr) ToWords(its, values, words);
    return true;
  });
}

uint64_t AddBackendValue(const char* name, const BackendAttribute& attribute,
                         CudnnWords* words) {
  Values values;
  if (!Take(attribute, &values)) return 0;
  if (name != nullptr) ToWords(name, values, words);
  return HashOfValues(values);
}

}  // namespace inquest::collector
