// SPDX-License-Identifier: Apache-2.0
// What a finished plan of cuDNN's backend API is: asked of the library that
// made it, or read off the text that a plan was made from.
#pragma once

#include <cstdint>
#include <string_view>

#include "collector/cudnn/backend_notes.h"

namespace inquest::collector {

// Fills in the engine's global index, the knobs in words with their hash, and
// the workspace asked. `real` is a function of the library. What it refuses to
// tell stays unknown, and it is not left with words about that.
void AskBackendPlan(void* plan, const void* real, BackendNote* note);

// A serialized plan names its operations and tensors; 0 where it does not.
uint64_t OperationOfBackendJson(std::string_view json);

}  // namespace inquest::collector
