#include "analyzer/memory/peaks/peak_facts.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace inquest::memory {
namespace {

const char* Word(Life life) {
  switch (life) {
    case Life::kPersistent:
      return "persistent";
    case Life::kStep:
      return "step";
    case Life::kTransient:
      return "transient";
    default:
      return nullptr;
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
};

// A pool's own memory is of no site.
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

  // What the program had given back before this event.
  Status ReadWaiting(int64_t event);
  Status Write(std::vector<PeakBlock> blocks, int64_t peak_time);

 private:
  void BindKey(Statement* row) const {
    row->Bind(0, int64_t{context_.process}).Bind(1, int64_t{device_});
    row->Bind(2, std::string_view(layer_));
  }
  std::optional<int64_t> GivenBack(const PeakBlock& one) const;
  Status WriteBlock(Statement* row, const PeakBlock& one);
  Status WriteSites();
  Status WriteSizes();

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
  row.Bind(0, int64_t{device_}).Bind(1, event);
  while (row.Step()) {
    given_back_[static_cast<uint64_t>(row.Int(0))] = row.Int(1);
  }
  return row.status();
}

std::optional<int64_t> PeakWriter::GivenBack(const PeakBlock& one) const {
  const auto found = given_back_.find(one.address);
  if (found == given_back_.end()) return {};
  return found->second;
}

Status PeakWriter::WriteBlock(Statement* row, const PeakBlock& one) {
  const auto site = SiteOf(one, device_, context_.sites);
  BindKey(row);
  row->Bind(3, static_cast<int64_t>(one.address)).Bind(4, one.block.bytes);
  row->BindNull(5).Bind(6, one.block.time + offset_).BindNull(7).BindNull(8);
  if (site) row->Bind(5, context_.site_id(*site));
  if (one.freed != INT64_MAX) row->Bind(7, one.freed + offset_);
  const char* life = Word(LifeOf(one, context_.steps));
  row->BindNull(9).BindNull(10);
  if (life != nullptr) {
    row->Bind(8, std::string_view(life));
    row->Bind(9, int64_t{IsCarried(one, context_.steps, peak_time_)});
  }
  if (const auto when = GivenBack(one)) row->Bind(10, *when + offset_);
  return row->Run();
}

Status PeakWriter::WriteSites() {
  ASSIGN_OR_RETURN(Statement row,
                   context_.store->db().Prepare(
                       "INSERT INTO store_peak_site VALUES (?, ?, ?, ?, ?, ?, "
                       "?, ?, ?, ?, ?, ?, ?)"));
  for (const auto& [site, sums] : by_site_) {
    BindKey(&row);
    row.BindNull(3).Bind(4, sums.blocks).Bind(5, sums.bytes);
    if (site) row.Bind(3, context_.site_id(*site));
    row.Bind(6, sums.largest).Bind(7, peak_time_ - sums.oldest);
    row.BindNull(8).BindNull(9).BindNull(10).BindNull(11);
    row.Bind(12, sums.waiting);
    if (!context_.steps.ends.empty()) {
      for (int life = 1; life <= 3; ++life) {
        row.Bind(7 + life, sums.by_life[life]);
      }
      row.Bind(11, sums.carried);
    }
    RETURN_IF_ERROR(row.Run());
  }
  return Status::Ok();
}

Status PeakWriter::WriteSizes() {
  ASSIGN_OR_RETURN(
      Statement row,
      context_.store->db().Prepare(
          "INSERT INTO store_peak_size VALUES (?, ?, ?, ?, ?, ?)"));
  for (const auto& [bits, sums] : by_size_) {
    BindKey(&row);
    row.Bind(3, bits < 0 ? int64_t{0} : int64_t{1} << bits);
    RETURN_IF_ERROR(row.Bind(4, sums.blocks).Bind(5, sums.bytes).Run());
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
  std::sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) {
    return std::tuple(-a.block.bytes, a.address) <
           std::tuple(-b.block.bytes, b.address);
  });
  if (blocks.size() > kMostPeakBlocks) blocks.resize(kMostPeakBlocks);
  ASSIGN_OR_RETURN(Statement row,
                   context_.store->db().Prepare(
                       "INSERT INTO store_peak_block VALUES (?, ?, ?, ?, ?, ?, "
                       "?, ?, ?, ?, ?)"));
  for (const PeakBlock& one : blocks) RETURN_IF_ERROR(WriteBlock(&row, one));
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
