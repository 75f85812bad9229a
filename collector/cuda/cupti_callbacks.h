// SPDX-License-Identifier: Apache-2.0
// Records at CUPTI's callbacks: memory that the driver allocates and frees,
// contexts that are destroyed, calls that fail. Runs in the thread that made
// the call; reads parameters, appends to the journal and returns. It calls the
// driver only after failures and at the first context.
#pragma once

#include <cupti.h>

#include "collector/cuda/cupti_api.h"

namespace inquest::collector {

void OnCuptiCallback(const CuptiApi& api, CUpti_CallbackDomain domain,
                     CUpti_CallbackId cbid, const void* data);

}  // namespace inquest::collector
