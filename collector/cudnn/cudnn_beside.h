// SPDX-License-Identifier: Apache-2.0
// The parts of cuDNN that belong beside a libcudnn.so, which loads them only
// when it needs them and then says no more than that it could not: which of
// them are there, and whether they are the files that the Python package
// installed. Reads the folder and the package's list; loads nothing. Background
// thread.
#pragma once

#include "collector/process/modules.h"

namespace inquest::collector {

void RecordCudnnBeside(const Module& cudnn);

}  // namespace inquest::collector
