// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/collective_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace inquest::facts {
namespace {

// Group, rank, peer, and whether it sends.
using Channel = std::tuple<size_t, int64_t, int64_t, bool>;

Channel ChannelOf(const PointToPoint& point) {
  return {point.group, point.rank, point.peer, point.send};
}

Channel OtherSide(const PointToPoint& point) {
  return {point.group, point.peer, point.rank, !point.send};
}

}  // namespace

PointWaits FindPointWaits(const CollectiveRecord& record) {
  std::set<Channel> pending;
  std::map<Channel, int64_t> last;  // number
  for (const PointToPoint& point : record.points) {
    if (!point.completed) pending.insert(ChannelOf(point));
    auto [at, is_new] = last.try_emplace(ChannelOf(point), point.seq);
    at->second = std::max(at->second, point.seq);
  }
  PointWaits waits;
  for (const PointToPoint& point : record.points) {
    if (point.completed) continue;
    if (pending.contains(OtherSide(point))) {
      waits.held.insert(point.rank);
      continue;
    }
    // In a group of two the numbers agree.
    const auto had = last.find(OtherSide(point));
    const bool pair = record.groups[point.group].members.size() == 2;
    if (pair && had != last.end() && had->second >= point.seq) continue;
    waits.alone.push_back(&point);
  }
  return waits;
}

// Between two ranks, sends and receives match in order.
std::vector<CollectiveStall> ComparePoints(const CollectiveRecord& record) {
  std::map<Channel, const PointToPoint*> first;
  for (const PointToPoint& point : record.points) {
    if (point.completed) continue;
    auto [at, is_new] = first.try_emplace(ChannelOf(point), &point);
    if (point.seq < at->second->seq) at->second = &point;
  }
  std::vector<CollectiveStall> stalls;
  for (const auto& [channel, sent] : first) {
    const auto other = first.find(OtherSide(*sent));
    if (!sent->send || other == first.end()) continue;
    const int64_t elements = ElementsOf(sent->sizes);
    const int64_t awaited = ElementsOf(other->second->sizes);
    if (elements < 0 || awaited < 0 || elements == awaited) continue;
    CollectiveStall stall = StallOf(*sent);
    stall.kind = CollectiveStall::Kind::kMismatch;
    stall.entered = stall.waiting = stall.odd = {sent->rank, sent->peer};
    stall.differs = "size";
    stall.expected =
        fmt::format("{} elements sent by {}", elements, sent->rank);
    stall.found = fmt::format("{} expected by {}", awaited, sent->peer);
    stalls.push_back(std::move(stall));
  }
  return stalls;
}

CollectiveStall StallOf(const PointToPoint& point) {
  CollectiveStall stall;
  stall.group = point.group;
  stall.seq = point.seq;
  stall.call.type = point.send ? "send" : "recv";
  stall.call.input_sizes = point.sizes;
  stall.time = point.time;
  stall.timeout_ms = point.timeout_ms;
  stall.entered = stall.waiting = {point.rank};
  return stall;
}

bool IsBefore(const PointToPoint& a, const PointToPoint& b) {
  return a.time.value_or(INT64_MAX) < b.time.value_or(INT64_MAX);
}

}  // namespace inquest::facts
