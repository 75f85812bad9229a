// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/models/driver_segments.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "trace/records/event.h"

namespace inquest::whatif {
namespace {

constexpr int64_t kSmallSegment = 2 << 20;
constexpr int64_t kMinLarge = 10 << 20;
constexpr int kNeighbours = 8;  // examined to find the segment of a block

using trace::MemoryKind;
using trace::MemoryOp;

Status ReadBefore(Database* db, const std::string& prefix, int device,
                  std::vector<DriverSegment>* all) {
  ASSIGN_OR_RETURN(Statement row,
                   db->Prepare("SELECT address, bytes FROM " + prefix +
                               "checkpoint_block WHERE device = ? AND layer = "
                               "0 AND kind = ?"));
  row.BindAll(device, MemoryKind::kDevice);
  for (DriverSegment one; row.Next(&one.address, &one.bytes);) {
    all->push_back(one);
  }
  return row.status();
}

Expected<std::vector<DriverSegment>> ReadAll(Database* db,
                                             const std::string& prefix,
                                             bool checkpoint, int device) {
  std::vector<DriverSegment> all;
  if (checkpoint) RETURN_IF_ERROR(ReadBefore(db, prefix, device, &all));
  std::unordered_map<uint64_t, size_t> live;
  for (size_t i = 0; i < all.size(); ++i) live[all[i].address] = i;
  ASSIGN_OR_RETURN(
      Statement row,
      db->Prepare("SELECT op, time_ns, address, bytes FROM " + prefix +
                  "memory_event WHERE device = ? AND kind = ? AND result = 0 "
                  "ORDER BY id"));
  row.BindAll(device, MemoryKind::kDevice);
  MemoryOp op{};
  int64_t time = 0;
  uint64_t address = 0;
  int64_t bytes = 0;
  while (row.Next(&op, &time, &address, &bytes)) {
    if (op == MemoryOp::kAlloc) {
      live[address] = all.size();
      all.push_back({address, bytes, time});
    } else if (op == MemoryOp::kFree && live.contains(address)) {
      all[live[address]].to = time;
      live.erase(address);
    }
  }
  RETURN_IF_ERROR(row.status());
  return all;
}

bool HasSegmentSize(int64_t bytes) {
  return bytes == kSmallSegment ||
         (bytes >= kMinLarge && bytes % kSmallSegment == 0);
}

// By index: whether a block was in the segment while it existed.
std::vector<bool> Used(const std::vector<DriverSegment>& all,
                       const std::vector<SegmentUse>& uses) {
  std::multimap<uint64_t, size_t> by_address;
  for (size_t i = 0; i < all.size(); ++i) {
    by_address.emplace(all[i].address, i);
  }
  std::vector<bool> used(all.size(), false);
  for (const SegmentUse& use : uses) {
    auto at = by_address.upper_bound(use.address);
    for (int i = 0; i < kNeighbours && at != by_address.begin(); ++i) {
      --at;
      const DriverSegment& one = all[at->second];
      const bool inside =
          use.address - one.address < static_cast<uint64_t>(one.bytes);
      if (!inside || use.time < one.from || use.time > one.to) continue;
      used[at->second] = true;
      break;
    }
  }
  return used;
}

std::vector<DriverSegment> Chosen(const std::vector<DriverSegment>& all,
                                  const std::vector<bool>& used, bool sized) {
  std::vector<DriverSegment> chosen;
  for (size_t i = 0; i < all.size(); ++i) {
    if (used[i] || (sized && HasSegmentSize(all[i].bytes))) {
      chosen.push_back(all[i]);
    }
  }
  return chosen;
}

bool AddUp(const std::vector<DriverSegment>& segments,
           const std::vector<SegmentUse>& uses) {
  std::vector<std::pair<int64_t, int64_t>> changes;
  for (const DriverSegment& one : segments) {
    changes.emplace_back(one.from, one.bytes);
    if (one.to != INT64_MAX) changes.emplace_back(one.to, -one.bytes);
  }
  std::sort(changes.begin(), changes.end());
  int64_t held = 0;
  bool told = false;
  auto next = changes.begin();
  for (const SegmentUse& use : uses) {
    for (; next != changes.end() && next->first <= use.time; ++next) {
      held += next->second;
    }
    if (use.reserved < 0) continue;
    told = true;
    if (held != use.reserved) return false;
  }
  return told;
}

}  // namespace

Expected<std::vector<DriverSegment>> ReadDriverSegments(
    Database* db, const std::string& prefix, bool checkpoint, int device,
    const std::vector<SegmentUse>& uses) {
  ASSIGN_OR_RETURN(const std::vector<DriverSegment> all,
                   ReadAll(db, prefix, checkpoint, device));
  const std::vector<bool> used = Used(all, uses);
  for (const bool sized : {false, true}) {
    std::vector<DriverSegment> segments = Chosen(all, used, sized);
    if (AddUp(segments, uses)) return segments;
  }
  return std::vector<DriverSegment>();
}

}  // namespace inquest::whatif
