// SPDX-License-Identifier: Apache-2.0
// Finds out about a finished plan of cuDNN's backend API: from the library that
// made it, or from the serialized text that it was made from.
#pragma once

#include <cstdint>
#include <string_view>

#include "collector/cudnn/backend_notes.h"

namespace inquest::collector {

// Fills in the engine's global index, the knobs as text with their hash, and
// the requested workspace. `real` is a function of the library. Values that it
// refuses stay unknown, and its error text about that is discarded.
void AskBackendPlan(void* plan, const void* real, BackendNote* note);

// The operation id of a serialized plan, which names its operations and
// tensors; 0 if it does not.
uint64_t OperationOfBackendJson(std::string_view json);

}  // namespace inquest::collector
