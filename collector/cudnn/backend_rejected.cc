// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/backend_rejected.h"

#include <cudnn.h>

#include "collector/cudnn/cudnn_hash.h"
#include "collector/cudnn/cudnn_names.h"
#include "collector/cudnn/cudnn_operations.h"
#include "collector/cudnn/cudnn_words.h"

namespace inquest::collector {
namespace {

// "convolution forward: x f32 8x48x56x56, …" as far as it has been set.
void DescribeRejected(const BackendNote& note, CudnnWords* words) {
  const char* type = CudnnName("cudnnBackendDescriptorType_t", note.type);
  if (type == nullptr) type = "unknown descriptor";
  if (note.type == CUDNN_BACKEND_TENSOR_DESCRIPTOR) {
    return AddBackendWords(type, note, words);
  }
  if (note.type != CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
    words->AddText(type, ": ");
  }
  if (HoldsBackendValues(note.type)) return AddBackendWords(type, note, words);
  words->AddText({note.rest, note.size}, "");
}

}  // namespace

uint64_t RejectedBackend(const char* function, const BackendNote& note,
                         const BackendAttribute* attribute) {
  CudnnWords words;
  DescribeRejected(note, &words);
  if (attribute != nullptr && attribute->elements != nullptr) {
    const char* name =
        CudnnName("cudnnBackendAttributeName_t", attribute->name);
    words.AddText("", "; refused ");
    AddBackendValue(name == nullptr ? "attribute" : name, *attribute, &words);
  }
  CudnnHash hash;
  hash.Add(std::string_view(function));
  hash.Add(words.Text());
  return RecordCudnnOperation(hash.id(), function, words.Text());
}

}  // namespace inquest::collector
