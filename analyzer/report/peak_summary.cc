// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/peak_summary.h"

namespace inquest::report {
namespace {

constexpr std::string_view kWhere =
    " WHERE process = ? AND device = ? AND layer = ?";

Status ReadSites(Statement row, PeakSummary* peak) {
  for (PeakSite site; row.Next(&site.function, &site.file, &site.line,
                               &site.bytes, &site.blocks);) {
    peak->sites.push_back(site);
  }
  return row.status();
}

Status AddSites(facts::Store* store, PeakSummary* peak) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT coalesce(s.chain, '(the pool''s own memory)'), s.file, "
          "s.line, p.bytes, p.blocks FROM (SELECT * FROM peak_site" +
          std::string(kWhere) +
          ") AS p LEFT JOIN allocation_site AS s USING (site) ORDER BY p.bytes "
          "DESC, p.site LIMIT " +
          std::to_string(kMaxPeakSites)));
  row.BindAll(peak->process, peak->device, peak->layer);
  return ReadSites(std::move(row), peak);
}

Status AddSizes(facts::Store* store, PeakSummary* peak) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT least_bytes, bytes, blocks FROM peak_size" +
                          std::string(kWhere) + " ORDER BY 1"));
  row.BindAll(peak->process, peak->device, peak->layer);
  for (PeakSize size; row.Next(&size.least_bytes, &size.bytes, &size.blocks);) {
    peak->sizes.push_back(size);
  }
  return row.status();
}

Status AddHeldSites(facts::Store* store, PeakSummary* held) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT coalesce(s.chain, '(no stack recorded)'), s.file, s.line, "
          "h.bytes, h.blocks FROM (SELECT * FROM held_site WHERE process = ? "
          "AND device = ?) AS h LEFT JOIN allocation_site AS s USING (site) "
          "ORDER BY h.bytes DESC, h.site LIMIT " +
          std::to_string(kMaxPeakSites)));
  row.BindAll(held->process, held->device);
  return ReadSites(std::move(row), held);
}

// For pools whose blocks were not replayed, which therefore have no peak.
Status AddHeld(facts::Store* store, std::vector<PeakSummary>* peaks) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT process, device, sum(bytes), sum(blocks), "
          "max(framework_oom) FROM held_site AS h WHERE NOT EXISTS (SELECT 1 "
          "FROM peak_site AS p WHERE p.process = h.process AND p.device = "
          "h.device AND p.layer = 'pool') GROUP BY 1, 2 ORDER BY 1, 2"));
  PeakSummary held;
  held.layer = "pool";
  std::optional<int64_t> refusal;
  while (row.Next(&held.process, &held.device, &held.bytes, &held.blocks,
                  &refusal)) {
    held.at = refusal ? "refusal" : "end";
    held.sites.clear();
    RETURN_IF_ERROR(AddHeldSites(store, &held));
    peaks->push_back(held);
  }
  return row.status();
}

Status AddCategories(facts::Store* store, PeakSummary* peak) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT category, told_by, blocks, bytes FROM "
                          "memory_category WHERE process = ? AND device = ? "
                          "AND layer = ? ORDER BY bytes DESC, category"));
  row.BindAll(peak->process, peak->device, peak->layer);
  for (PeakCategory one;
       row.Next(&one.category, &one.told_by, &one.blocks, &one.bytes);) {
    peak->categories.push_back(one);
  }
  RETURN_IF_ERROR(row.status());
  ASSIGN_OR_RETURN(
      Statement steps,
      store->db().Prepare("SELECT 1 FROM step WHERE process = ? AND judged <> "
                          "'steps' LIMIT 1"));
  steps.BindAll(peak->process);
  int64_t any = 0;
  peak->steps_are_guessed = steps.Next(&any);
  return steps.status();
}

}  // namespace

Expected<std::vector<PeakSummary>> SummarizePeaks(facts::Store* store) {
  std::vector<PeakSummary> peaks;
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT process, device, layer, sum(bytes), sum(blocks), "
          "sum(persistent_bytes), sum(step_bytes), sum(transient_bytes), "
          "sum(carried_bytes), sum(waiting_bytes) FROM peak_site GROUP BY "
          "process, device, layer ORDER BY 1, 2, 3"));
  for (PeakSummary peak; row.Next(
           &peak.process, &peak.device, &peak.layer, &peak.bytes, &peak.blocks,
           &peak.persistent_bytes, &peak.step_bytes, &peak.transient_bytes,
           &peak.carried_bytes, &peak.waiting_bytes);) {
    peaks.push_back(peak);
  }
  RETURN_IF_ERROR(row.status());
  for (PeakSummary& peak : peaks) {
    RETURN_IF_ERROR(AddSites(store, &peak));
    RETURN_IF_ERROR(AddSizes(store, &peak));
    RETURN_IF_ERROR(AddCategories(store, &peak));
  }
  RETURN_IF_ERROR(AddHeld(store, &peaks));
  return peaks;
}

Expected<std::vector<ShortLivedSite>> SummarizeShortLived(facts::Store* store) {
  std::vector<ShortLivedSite> sites;
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "WITH steps AS (SELECT process, count(end_time) AS ended FROM step "
          "GROUP BY process) SELECT s.process, s.device, s.chain, "
          "s.short_lived, s.short_lived_bytes, s.short_lived_time, "
          "s.short_lived_by_driver, 1.0 * s.short_lived / t.ended AS often "
          "FROM allocation_site AS s JOIN steps AS t USING (process) "
          "WHERE s.device >= 0 AND t.ended > 0 AND s.short_lived >= t.ended "
          "ORDER BY s.short_lived_by_driver DESC, often DESC, s.site LIMIT " +
          std::to_string(kMaxShortLived)));
  for (ShortLivedSite site;
       row.Next(&site.process, &site.device, &site.function, &site.blocks,
                &site.bytes, &site.time, &site.by_driver, &site.per_step);) {
    sites.push_back(site);
  }
  RETURN_IF_ERROR(row.status());
  return sites;
}

Expected<std::vector<FaultSummary>> SummarizeFaults(facts::Store* store) {
  std::vector<FaultSummary> faults;
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT process, device, kind, sum(count), "
                          "min(first_event) FROM replay_fault GROUP BY "
                          "process, device, kind ORDER BY 1, 2, 3"));
  for (FaultSummary fault; row.Next(&fault.process, &fault.device, &fault.kind,
                                    &fault.count, &fault.first_event);) {
    faults.push_back(fault);
  }
  RETURN_IF_ERROR(row.status());
  return faults;
}

}  // namespace inquest::report
