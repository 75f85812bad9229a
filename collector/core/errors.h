// SPDX-License-Identifier: Apache-2.0
// Failed calls, from CUPTI and from the cuDNN hooks. Called by the thread whose
// call failed; this path may be slow.
//
// Equal failures in a row in one thread are counted on the first of them; so
// are those after the fiftieth of a kind if several kinds alternate. So a
// process that continues after a fatal error costs one slot per call, and its
// first failure is kept.
#pragma once

#include <cstdint>
#include <string_view>

namespace inquest::collector {

struct ApiFailure {
  const char* api;  // driver, runtime, cudnn
  const char* function;
  int64_t result;
  std::string_view name;
  std::string_view text;
  int device;
  bool sticky;  // the context is lost
};

void NoteApiError(const ApiFailure& failure);

}  // namespace inquest::collector
