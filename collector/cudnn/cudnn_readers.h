// SPDX-License-Identifier: Apache-2.0
// The getters of cuDNN's legacy API, one for each kind of descriptor. Used by
// cudnn_descriptors.cc. Checked against the real 9.19: none of them needs more
// of the lengths of sequences than a place to write none.
#pragma once

#include "collector/cudnn/cudnn_descriptors.h"

namespace inquest::collector {

// False when the library of `real` lacks the getter or it refused.
bool AskCudnn(CudnnGetters* getters, const void* real, CudnnOperand::Kind kind,
              const void* descriptor, CudnnContents* to);

}  // namespace inquest::collector
