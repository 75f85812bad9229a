// SPDX-License-Identifier: Apache-2.0
// Says what a rejected call of cuDNN's backend API was about: the descriptor as
// far as it had been set. Used by cudnn_backend.cc.
#pragma once

#include <cstdint>

#include "collector/cudnn/backend_notes.h"
#include "collector/cudnn/backend_values.h"

namespace inquest::collector {

// The operation's id, 0 if too many were seen. `attribute` was to be set by the
// rejected call; null for other calls.
uint64_t RejectedBackend(const char* function, const BackendNote& note,
                         const BackendAttribute* attribute);

}  // namespace inquest::collector
