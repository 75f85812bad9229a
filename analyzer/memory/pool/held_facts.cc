// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/pool/held_facts.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>

#include "analyzer/memory/pool/pool_refusals.h"
#include "base/capped.h"

namespace inquest::memory {
namespace {

constexpr int kTenths = 10;

// A moment of one device's pool, in the trace's clock.
struct HeldMoment {
  int64_t begin = 0;
  int64_t time = 0;
  std::optional<int64_t> refusal;  // framework_oom.id; none: the end
};

struct Held {
  int64_t blocks = 0;
  int64_t bytes = 0;
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  uint32_t tenths = 0;  // one bit each

  void Add(int64_t size, int64_t time, const HeldMoment& moment) {
    ++blocks;
    bytes = AddCapped(bytes, size);
    first = std::min(first, time);
    last = std::max(last, time);
    const auto begin = static_cast<double>(moment.begin);
    const double length =
        std::max(static_cast<double>(moment.time) - begin, 1.0);
    const double tenth = (static_cast<double>(time) - begin) * kTenths / length;
    tenths |= 1u << static_cast<int>(std::clamp(tenth, 0.0, kTenths - 1.0));
  }
};

class HeldWriter {
 public:
  explicit HeldWriter(const HeldContext& context)
      : context_(context),
        prefix_(context.store->TracePrefix(context.process)),
        offset_(context.store->ClockOffset(context.process)) {}

  Status Write() {
    RETURN_IF_ERROR(ReadMoments());
    RETURN_IF_ERROR(ReadRefusals());
    RETURN_IF_ERROR(ReadBlocks());
    return WriteRows();
  }

 private:
  Status ReadMoments();
  Status ReadRefusals();
  Status ReadBlocks();
  Status WriteRows();

  const HeldContext& context_;
  std::string prefix_;
  int64_t offset_;
  std::map<int64_t, HeldMoment> moments_;  // by device
  std::map<std::pair<int64_t, std::optional<size_t>>, Held> held_;
};

Status HeldWriter::ReadMoments() {
  ASSIGN_OR_RETURN(
      Statement row,
      context_.store->db().Prepare("SELECT device, min(first_ns), max(last_ns) "
                                   "FROM " +
                                   prefix_ + "framework_memory GROUP BY 1"));
  int64_t device = 0;
  for (HeldMoment one; row.Next(&device, &one.begin, &one.time);) {
    moments_[device] = one;
  }
  return row.status();
}

Status HeldWriter::ReadRefusals() {
  ASSIGN_OR_RETURN(const auto refusals,
                   LastPoolRefusals(context_.store, context_.process));
  for (const auto& [device, refusal] : refusals) {
    moments_[device].refusal = refusal.id;
    moments_[device].time = refusal.time;
  }
  return Status::Ok();
}

Status HeldWriter::ReadBlocks() {
  ASSIGN_OR_RETURN(Statement row,
                   context_.store->db().Prepare(
                       "SELECT device, id, bytes, time_ns, "
                       "coalesce(freed_ns, 9223372036854775807), stack FROM " +
                       prefix_ + "framework_block"));
  int device = 0;
  int64_t id = 0, bytes = 0, time = 0, stack = 0;
  int64_t freed_time = 0;  // INT64_MAX: never
  while (row.Next(&device, &id, &bytes, &time, &freed_time, &stack)) {
    const HeldMoment& moment = moments_[device];
    const bool made = !moment.refusal || id < *moment.refusal;
    const bool freed = freed_time != INT64_MAX &&
                       (!moment.refusal || freed_time <= moment.time);
    if (!made || freed) continue;
    std::optional<size_t> site;
    if (stack != 0) site = context_.sites->Find(stack, device);
    held_[{device, site}].Add(bytes, time, moment);
  }
  return row.status();
}

Status HeldWriter::WriteRows() {
  ASSIGN_OR_RETURN(Statement row,
                   context_.store->db().Prepare("INSERT INTO store_held_site "
                                                "VALUES (?, ?, ?, ?, ?, ?, ?, "
                                                "?, ?)"));
  for (const auto& [key, held] : held_) {
    const auto& [device, site] = key;
    std::optional<int64_t> id;
    if (site) id = context_.site_id(*site);
    RETURN_IF_ERROR(
        row.Run(context_.process, device, id, held.blocks, held.bytes,
                AddCapped(held.first, offset_), AddCapped(held.last, offset_),
                std::popcount(held.tenths), moments_[device].refusal));
  }
  return Status::Ok();
}

}  // namespace

Status WriteHeld(const HeldContext& context) {
  if (!context.store->HasTable(context.process, "framework_block")) {
    return Status::Ok();
  }
  return HeldWriter(context).Write();
}

}  // namespace inquest::memory
