// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/cuda_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analyzer/rules/model/shipped_codes.h"

namespace inquest::importers {
namespace {

constexpr int kSticky[] = {214, 220, 226, 700, 702, 710, 714,
                           715, 716, 717, 718, 719, 721};
constexpr int kHarmless[] = {0, 4, 7, 8, 600, 704};

template <typename Numbers>
bool Holds(const Numbers& numbers, int64_t number) {
  return std::find(std::begin(numbers), std::end(numbers), number) !=
         std::end(numbers);
}

}  // namespace

std::string CudaResultName(int64_t result, bool runtime) {
  for (const rules::ShippedCode& one : rules::CudaCodes()) {
    if (one.number != result) continue;
    const bool of_runtime = one.other.empty() || (runtime && !one.name.empty());
    return std::string(of_runtime ? one.name : one.other);
  }
  return fmt::format("error {}", result);
}

bool IsStickyCudaResult(int64_t result) {
  return Holds(kSticky, result);
}

bool IsHarmlessCudaResult(int64_t result) {
  return Holds(kHarmless, result);
}

}  // namespace inquest::importers
