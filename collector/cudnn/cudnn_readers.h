// SPDX-License-Identifier: Apache-2.0
// The getters of cuDNN's legacy API, one for each kind of descriptor. Used by
// cudnn_descriptors.cc. Checked against the real 9.19: with room for no
// sequence lengths they succeed and write none.
#pragma once

#include "collector/cudnn/cudnn_descriptors.h"

namespace inquest::collector {

// False if the library of `real` has no such getter or the getter failed.
bool AskCudnn(CudnnGetters* getters, const void* real, CudnnOperand::Kind kind,
              const void* descriptor, CudnnContents* to);

}  // namespace inquest::collector
