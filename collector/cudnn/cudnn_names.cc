// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/cudnn_names.h"

#include <algorithm>
#include <utility>

namespace inquest::collector {

const char* CudnnName(std::string_view kind, int64_t value) {
  const CudnnNamed* end = g_cudnn_names + g_cudnn_name_count;
  const CudnnNamed* at = std::lower_bound(
      g_cudnn_names, end, std::pair(kind, value),
      [](const CudnnNamed& named, const auto& key) {
        return std::pair(named.kind, int64_t{named.value}) < key;
      });
  return at != end && at->kind == kind && at->value == value ? at->name
                                                             : nullptr;
}

}  // namespace inquest::collector
