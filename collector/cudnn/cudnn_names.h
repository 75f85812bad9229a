// SPDX-License-Identifier: Apache-2.0
// Readable names of cuDNN's enumerators, from the headers that the collector
// was built with (generate_cudnn_names.py). Enumerators of a newer library stay
// numbers.
#pragma once

#include <cstdint>
#include <string_view>

namespace inquest::collector {

struct CudnnNamed {
  std::string_view kind;  // cudnnPoolingMode_t
  int value;
  const char* name;  // max
};
extern const CudnnNamed g_cudnn_names[];  // sorted by kind and value
extern const int g_cudnn_name_count;

// Null when there is none.
const char* CudnnName(std::string_view kind, int64_t value);

}  // namespace inquest::collector
