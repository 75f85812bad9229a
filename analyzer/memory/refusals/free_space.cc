// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/refusals/free_space.h"

#include <algorithm>

#include "base/capped.h"

namespace inquest::memory {

FreeSpace MeasureFree(const Gaps& gaps, int64_t live_bytes,
                      std::optional<int64_t> free_bytes,
                      std::optional<int64_t> free_at_start) {
  if (!free_bytes) return {gaps.total, gaps.largest};
  int64_t holes = gaps.total - gaps.whole_chunks;
  if (free_at_start) {
    const int64_t backed =
        SubtractCapped(SubtractCapped(*free_at_start, live_bytes), *free_bytes);
    holes = std::clamp<int64_t>(backed, 0, holes);
  }
  const int64_t unused = AddCapped(*free_bytes, holes);
  // Free chunks that are not gaps have addresses beyond those used so far.
  const int64_t beyond = std::max<int64_t>(0, *free_bytes - gaps.whole_chunks);
  return {unused, std::min(unused, std::max(gaps.largest, beyond))};
}

FreeSpace MeasurePoolFree(const trace::Gaps& gaps,
                          std::optional<int64_t> free_bytes,
                          const PoolRequest& request) {
  const int64_t free = free_bytes.value_or(0);
  const bool too_small = free >= request.bytes && free < request.segment_bytes;
  const int64_t of_driver = too_small ? 0 : free;
  return {AddCapped(gaps.total, of_driver), std::max(gaps.largest, of_driver)};
}

}  // namespace inquest::memory
