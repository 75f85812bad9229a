// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/cuda_results.h"

#include <fmt/format.h>

#include "analyzer/rules/model/shipped_codes.h"

namespace inquest::importers {

std::string CudaResultName(int64_t result, bool runtime) {
  for (const rules::ShippedCode& one : rules::CudaCodes()) {
    if (one.number != result) continue;
    const bool of_runtime = one.other.empty() || (runtime && !one.name.empty());
    return std::string(of_runtime ? one.name : one.other);
  }
  return fmt::format("error {}", result);
}

}  // namespace inquest::importers
