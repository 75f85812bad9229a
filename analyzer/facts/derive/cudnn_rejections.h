// SPDX-License-Identifier: Apache-2.0
// Fills `cudnn_rejection`: for each failed call of cuDNN that a trace has, what
// it was given and in what that contradicts itself (cudnn_conflicts.h). Called
// once, after the facts were defined; without such calls it does nothing.
#pragma once

#include "analyzer/facts/store/store.h"

namespace inquest::facts {

Status CollectCudnnRejections(Store* store);

}  // namespace inquest::facts
