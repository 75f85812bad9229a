// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/pool/pool_earlier_run.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/memory/pool/pool_refusals.h"

namespace inquest::memory {
namespace {

struct PoolBlock {
  HeldBlock block;
  std::optional<int64_t> freed;  // time
};

class PoolSearch {
 public:
  PoolSearch(const EarlierRunContext& context, SiteTable* sites)
      : context_(context), sites_(sites) {}

  Status Write(int device, const PoolRefusal& refusal) {
    RETURN_IF_ERROR(ReadBlocks(device, refusal.id));
    HeldAtRefusal held;
    held.refused = {sites_->Find(refusal.stack, device), refusal.stack,
                    refusal.bytes, refusal.id, refusal.time};
    const std::vector<Site> counted = CountedSites(refusal.time);
    for (const PoolBlock& one : blocks_) {
      SiteCounts& made = held.stacks[one.block.stack];
      ++made.allocations;
      if (IsLive(one, refusal.time)) {
        held.blocks.push_back(one.block);
      } else {
        ++made.frees;
      }
    }
    ASSIGN_OR_RETURN(const double numbers, NumbersPerEvent(refusal));
    held.events_before = [numbers](int64_t event) {
      return static_cast<double>(event) / numbers;
    };
    return WriteEarlierRun(context_, {{}, refusal.id, device}, std::move(held),
                           counted);
  }

 private:
  // Small blocks have no stack unless the stacks of all were recorded.
  Status ReadBlocks(int device, int64_t before) {
    ASSIGN_OR_RETURN(Statement row,
                     context_.store->db().Prepare(
                         "SELECT id, bytes, time_ns, freed_ns, stack FROM " +
                         context_.store->TracePrefix(context_.process) +
                         "framework_block WHERE device = ? AND id < ? AND "
                         "stack <> 0 ORDER BY id"));
    row.BindAll(device, before);
    PoolBlock one;
    while (row.Next(&one.block.event, &one.block.bytes, &one.block.time,
                    &one.freed, &one.block.stack)) {
      one.block.site = sites_->Find(one.block.stack, device);
      blocks_.push_back(one);
    }
    return row.status();
  }

  // On average: single events are not recorded.
  Expected<double> NumbersPerEvent(const PoolRefusal& refusal) {
    ASSIGN_OR_RETURN(const int64_t events,
                     context_.store->db().QueryInt(
                         "SELECT coalesce(sum(allocations + frees), 0) FROM " +
                         context_.store->TracePrefix(context_.process) +
                         "framework_memory"));
    if (blocks_.empty() || events == 0) return 1;
    const int64_t numbers = refusal.id - blocks_.front().block.event;
    return std::max(1.0,
                    static_cast<double>(numbers) / static_cast<double>(events));
  }

  static bool IsLive(const PoolBlock& one, int64_t time) {
    return !one.freed || *one.freed > time;
  }

  // The replay did not see these blocks, so they are counted here.
  std::vector<Site> CountedSites(int64_t time) const {
    std::vector<Site> sites = sites_->sites();
    for (Site& site : sites) site.allocations = site.frees = 0;
    for (const PoolBlock& one : blocks_) {
      Site& site = sites[one.block.site];
      ++site.allocations;
      if (!IsLive(one, time)) ++site.frees;
    }
    return sites;
  }

  const EarlierRunContext& context_;
  SiteTable* sites_;
  std::vector<PoolBlock> blocks_;
};

}  // namespace

Status WritePoolEarlierRuns(const EarlierRunContext& context,
                            SiteTable* sites) {
  ASSIGN_OR_RETURN(const auto refusals,
                   LastPoolRefusals(context.store, context.process));
  for (const auto& [device, refusal] : refusals) {
    RETURN_IF_ERROR(PoolSearch(context, sites).Write(device, refusal));
  }
  return Status::Ok();
}

}  // namespace inquest::memory
