// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/pool/pool_map.h"

#include <algorithm>

#include "trace/records/event.h"

namespace inquest::memory {
namespace {

struct Segment {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool grows = false;
};

std::vector<Segment> SegmentsOf(const trace::DeviceState& state) {
  std::vector<Segment> segments;
  state.device.blocks().Visit([&](uint64_t address, const trace::Block& block) {
    const uint64_t end = address + static_cast<uint64_t>(block.bytes);
    const bool grows =
        block.kind == static_cast<uint8_t>(trace::MemoryKind::kMapped);
    const bool goes_on = !segments.empty() && grows && segments.back().grows &&
                         segments.back().end == address;
    if (goes_on) {
      segments.back().end = end;
    } else {
      segments.push_back({address, end, grows});
    }
  });
  return segments;
}

class Mapper {
 public:
  Mapper(const trace::DeviceState& state, const TorchSettings& settings)
      : settings_(settings), segments_(SegmentsOf(state)) {
    for (const Segment& segment : segments_) at_.push_back(segment.begin);
  }

  void Add(uint64_t address, const trace::Block& block) {
    while (segment_ < segments_.size() && address >= Here().end) Close();
    // A block outside all segments is live too, but has no gaps around it.
    const bool inside = segment_ < segments_.size() && address >= Here().begin;
    if (inside) Gap(address);
    const int64_t bytes = settings_.RoundSize(block.bytes);
    map_.push_back({address, bytes, true, block});
    if (inside) at_[segment_] = address + static_cast<uint64_t>(bytes);
  }

  std::vector<PoolSpan> Take() {
    while (segment_ < segments_.size()) Close();
    return std::move(map_);
  }

 private:
  const Segment& Here() const { return segments_[segment_]; }

  void Gap(uint64_t to) {
    const uint64_t from = at_[segment_];
    if (to <= from) return;
    const auto bytes = static_cast<int64_t>(to - from);
    const bool behind_one =
        !map_.empty() && map_.back().live && from > Here().begin;
    if (behind_one &&
        !settings_.SplitsOff(map_.back().bytes, bytes, Here().grows)) {
      map_.back().bytes += bytes;
    } else {
      map_.push_back({from, bytes, false, {}});
    }
  }

  void Close() {
    Gap(Here().end);
    ++segment_;
  }

  const TorchSettings& settings_;
  std::vector<Segment> segments_;
  std::vector<uint64_t> at_;  // up to where each is mapped
  size_t segment_ = 0;
  std::vector<PoolSpan> map_;
};

}  // namespace

std::vector<PoolSpan> MapPool(const trace::DeviceState& state,
                              const TorchSettings& settings) {
  Mapper mapper(state, settings);
  state.framework.blocks().Visit(
      [&](uint64_t address, const trace::Block& block) {
        mapper.Add(address, block);
      });
  return mapper.Take();
}

trace::Gaps GapsOf(const std::vector<PoolSpan>& map) {
  trace::Gaps gaps;
  for (const PoolSpan& span : map) {
    if (span.live) continue;
    gaps.total += span.bytes;
    gaps.largest = std::max(gaps.largest, span.bytes);
    ++gaps.count;
  }
  return gaps;
}

}  // namespace inquest::memory
