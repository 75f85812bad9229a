// SPDX-License-Identifier: Apache-2.0
// Reads a serialized plan:
// {"cudnnVersion":…,"operationGraph":{"tensors":[{"name":
// …,"dataType":…,"dim":[…],…}],"nodes":[{"operation":…,"X":…}]},"GPUProfile":…
// (seen in 9.19). The text of "operationGraph" identifies the operation; its
// description has the names of the operations and the dimensions of the
// tensors.
#include <algorithm>
#include <cstring>

#include "collector/cudnn/backend_plan.h"
#include "collector/cudnn/cudnn_hash.h"
#include "collector/cudnn/cudnn_operations.h"

namespace inquest::collector {
namespace {

class GraphWords {
 public:
  void Put(std::string_view text) {
    const size_t size = std::min(text.size(), sizeof text_ - size_);
    std::memcpy(text_ + size_, text.data(), size);
    size_ += size;
  }
  std::string_view text() const { return {text_, size_}; }

 private:
  char text_[1200];
  size_t size_ = 0;
};

// Calls `found` with the text after each `key`, up to `end`.
template <typename Found>
void EachValueOf(std::string_view text, std::string_view key, char end,
                 Found found) {
  for (size_t at = text.find(key); at != text.npos; at = text.find(key, at)) {
    at += key.size();
    found(text.substr(at, text.find(end, at) - at));
  }
}

}  // namespace

uint64_t OperationOfBackendJson(std::string_view json) {
  const size_t begin = json.find("\"operationGraph\"");
  if (begin == json.npos) return 0;
  const size_t end = json.find("\"GPUProfile\"", begin);
  const std::string_view graph = json.substr(begin, end - begin);
  GraphWords words;
  words.Put("serialized plan:");
  EachValueOf(graph, "\"operation\":\"CUDNN_BACKEND_OPERATION_", '"',
              [&](std::string_view name) {
                words.Put(" ");
                words.Put(name.substr(0, name.rfind("_DESCRIPTOR")));
              });
  EachValueOf(graph, "\"dim\":[", ']', [&](std::string_view dimensions) {
    words.Put(", ");
    words.Put(dimensions);
  });
  CudnnHash hash;
  hash.Add(graph);
  return RecordCudnnOperation(hash.id(), "cudnnBackendExecute", words.text());
}

}  // namespace inquest::collector
