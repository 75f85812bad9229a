// SPDX-License-Identifier: Apache-2.0
// What is noted at a callback of CUPTI: memory as the driver hands it out and
// takes it back, contexts that go, calls that fail. In the thread that made the
// call; reads parameters, appends to the journal and returns. Only after
// failures and at the first context does it ask the driver anything.
#pragma once

#include <cupti.h>

#include "collector/cuda/cupti_api.h"

namespace inquest::collector {

void OnCuptiCallback(const CuptiApi& api, CUpti_CallbackDomain domain,
                     CUpti_CallbackId cbid, const void* data);

}  // namespace inquest::collector
