// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/peaks/peak_facts.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "analyzer/memory/peaks/categories.h"
#include "base/capped.h"

namespace inquest::memory {
namespace {

std::string_view Word(Life life) {
  switch (life) {
    case Life::kPersistent:
      return "persistent";
    case Life::kStep:
      return "step";
    case Life::kTransient:
      return "transient";
    default:
      return "";
  }
}

struct Sums {
  int64_t blocks = 0;
  int64_t bytes = 0;
  int64_t largest = 0;
  int64_t oldest = INT64_MAX;
  int64_t by_life[4] = {};
  int64_t carried = 0;
  int64_t waiting = 0;

  void Add(const PeakBlock& one, Life life) {
    ++blocks;
    bytes += one.block.bytes;
    largest = std::max(largest, one.block.bytes);
    oldest = std::min(oldest, one.block.time);
    by_life[static_cast<int>(life)] += one.block.bytes;
  }
  int64_t Of(Life life) const { return by_life[static_cast<int>(life)]; }
};

// A pool's own segments belong to no site.
std::optional<size_t> SiteOf(const PeakBlock& one, int device,
                             SiteTable* sites) {
  if (!trace::IsOfSites(one.block.kind)) return {};
  return sites->Find(one.block.stack, device);
}

class PeakWriter {
 public:
  PeakWriter(const PeakContext& context, int device, bool of_pool)
      : context_(context),
        offset_(context.store->ClockOffset(context.process)),
        device_(device),
        layer_(of_pool ? "pool" : "device") {}

  // Blocks that the program had freed before this event.
  Status ReadWaiting(int64_t event);
  Status Write(std::vector<PeakBlock> blocks, int64_t peak_time);

 private:
  std::optional<int64_t> GivenBack(const PeakBlock& one) const;
  std::optional<int64_t> IdOf(std::optional<size_t> site) const;
  Status WriteBlocks(const std::vector<PeakBlock>& blocks);
  Status WriteSites();
  Status WriteSizes();
  Status WriteCategories(const std::vector<PeakBlock>& blocks);

  const PeakContext& context_;
  int64_t offset_;
  int device_;
  const char* layer_;
  int64_t peak_time_ = 0;
  std::unordered_map<uint64_t, int64_t> given_back_;  // when, by address
  std::map<std::optional<size_t>, Sums> by_site_;
  std::map<int, Sums> by_size_;  // number of bits of the size less one
};

Status PeakWriter::ReadWaiting(int64_t event) {
  facts::Store* store = context_.store;
  if (!store->HasTable(context_.process, "late_free")) return Status::Ok();
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT address, requested_ns FROM " +
                          store->TracePrefix(context_.process) +
                          "late_free WHERE device = ?1 AND after_event < ?2 "
                          "AND coalesce(free_event, ?2 + 1) > ?2"));
  row.BindAll(device_, event);
  uint64_t address = 0;
  int64_t time = 0;
  while (row.Next(&address, &time)) given_back_[address] = time;
  return row.status();
}

std::optional<int64_t> PeakWriter::GivenBack(const PeakBlock& one) const {
  const auto found = given_back_.find(one.address);
  if (found == given_back_.end()) return {};
  return found->second;
}

std::optional<int64_t> PeakWriter::IdOf(std::optional<size_t> site) const {
  if (!site) return {};
  return context_.site_id(*site);
}

Status PeakWriter::WriteBlocks(const std::vector<PeakBlock>& blocks) {
  ASSIGN_OR_RETURN(Statement row,
                   context_.store->db().Prepare(
                       "INSERT INTO store_peak_block VALUES (?, ?, ?, ?, ?, ?, "
                       "?, ?, ?, ?, ?)"));
  for (const PeakBlock& one : blocks) {
    std::optional<int64_t> freed, given_back = GivenBack(one);
    if (one.freed != INT64_MAX) freed = AddCapped(one.freed, offset_);
    if (given_back) *given_back += offset_;
    const std::string_view life = Word(LifeOf(one, context_.steps));
    std::optional<bool> carried;
    if (!life.empty()) carried = IsCarried(one, context_.steps, peak_time_);
    RETURN_IF_ERROR(row.Run(context_.process, device_, layer_, one.address,
                            one.block.bytes,
                            IdOf(SiteOf(one, device_, context_.sites)),
                            AddCapped(one.block.time, offset_), freed,
                            facts::NullIfEmpty(life), carried, given_back));
  }
  return Status::Ok();
}

Status PeakWriter::WriteSites() {
  ASSIGN_OR_RETURN(Statement row,
                   context_.store->db().Prepare(
                       "INSERT INTO store_peak_site VALUES (?, ?, ?, ?, ?, ?, "
                       "?, ?, ?, ?, ?, ?, ?)"));
  for (const auto& [site, sums] : by_site_) {
    std::optional<int64_t> persistent, step, transient, carried;
    if (!context_.steps.ends.empty()) {
      persistent = sums.Of(Life::kPersistent);
      step = sums.Of(Life::kStep);
      transient = sums.Of(Life::kTransient);
      carried = sums.carried;
    }
    RETURN_IF_ERROR(row.Run(context_.process, device_, layer_, IdOf(site),
                            sums.blocks, sums.bytes, sums.largest,
                            peak_time_ - sums.oldest, persistent, step,
                            transient, carried, sums.waiting));
  }
  return Status::Ok();
}

Status PeakWriter::WriteSizes() {
  ASSIGN_OR_RETURN(
      Statement row,
      context_.store->db().Prepare(
          "INSERT INTO store_peak_size VALUES (?, ?, ?, ?, ?, ?)"));
  for (const auto& [bits, sums] : by_size_) {
    const int64_t least_bytes = bits < 0 ? 0 : int64_t{1} << bits;
    RETURN_IF_ERROR(row.Run(context_.process, device_, layer_, least_bytes,
                            sums.blocks, sums.bytes));
  }
  return Status::Ok();
}

Status PeakWriter::WriteCategories(const std::vector<PeakBlock>& blocks) {
  const bool of_pool = layer_ == std::string_view("pool");
  Categories categories(context_.places, context_.before, of_pool);
  std::vector<const PeakBlock*> added;
  for (const PeakBlock& one : blocks) {
    const auto site = SiteOf(one, device_, context_.sites);
    if (!site) continue;
    categories.Add(one, LifeOf(one, context_.steps), context_.leaks(*site));
    added.push_back(&one);
  }
  if (context_.timeline != nullptr) {
    const std::vector<std::string> told = categories.ByBlock();
    for (size_t i = 0; i < added.size(); ++i) {
      context_.timeline->Tell({device_, of_pool}, added[i]->address,
                              added[i]->block, told[i], categories.Lasts(i));
    }
  }
  ASSIGN_OR_RETURN(
      Statement row,
      context_.store->db().Prepare(
          "INSERT INTO store_memory_category VALUES (?, ?, ?, ?, ?, ?, ?)"));
  for (const CategoryRow& one : categories.Finish()) {
    RETURN_IF_ERROR(row.Run(context_.process, device_, layer_, one.category,
                            one.blocks, one.bytes, one.told_by));
  }
  return Status::Ok();
}

Status PeakWriter::Write(std::vector<PeakBlock> blocks, int64_t peak_time) {
  peak_time_ = peak_time;
  for (const PeakBlock& one : blocks) {
    const Life life = LifeOf(one, context_.steps);
    Sums& of_site = by_site_[SiteOf(one, device_, context_.sites)];
    of_site.Add(one, life);
    if (IsCarried(one, context_.steps, peak_time)) {
      of_site.carried += one.block.bytes;
    }
    if (GivenBack(one)) of_site.waiting += one.block.bytes;
    const auto size =
        static_cast<uint64_t>(std::max<int64_t>(one.block.bytes, 0));
    by_size_[static_cast<int>(std::bit_width(size)) - 1].Add(one, life);
  }
  RETURN_IF_ERROR(WriteCategories(blocks));
  std::sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) {
    return std::tuple(-a.block.bytes, a.address) <
           std::tuple(-b.block.bytes, b.address);
  });
  if (blocks.size() > kMaxPeakBlocks) blocks.resize(kMaxPeakBlocks);
  RETURN_IF_ERROR(WriteBlocks(blocks));
  RETURN_IF_ERROR(WriteSites());
  return WriteSizes();
}

}  // namespace

Status WritePeaks(const PeakContext& context, const Replay& replay) {
  for (const auto& [device, state] : replay.devices()) {
    if (device < 0) continue;
    for (const bool of_pool : {false, true}) {
      const Peak* peak = replay.PeakOf(device, of_pool);
      if (peak == nullptr || !peak->is_known()) continue;
      PeakWriter writer(context, device, of_pool);
      if (of_pool) RETURN_IF_ERROR(writer.ReadWaiting(peak->event()));
      RETURN_IF_ERROR(
          writer.Write(replay.PeakBlocks(device, of_pool), peak->time()));
    }
  }
  return Status::Ok();
}

}  // namespace inquest::memory
