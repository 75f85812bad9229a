// SPDX-License-Identifier: Apache-2.0
// Names and texts of CUDA's error codes, the same numbers in driver and
// runtime. Names come from the headers through generate_api.py, texts are
// those that libcudart 13.0 gives. Null for a code that does not exist.
#pragma once

namespace simgpu {

const char* DriverErrorName(int code);
const char* RuntimeErrorName(int code);
const char* ErrorText(int code);

}  // namespace simgpu
