#include "analyzer/report/peak_summary.h"

#include "analyzer/facts/store/optional_column.h"

namespace inquest::report {
namespace {

using facts::Column;

constexpr std::string_view kWhere =
    " WHERE process = ? AND device = ? AND layer = ?";

Expected<Statement> PrepareFor(facts::Store* store, const std::string& select,
                               const PeakSummary& peak) {
  ASSIGN_OR_RETURN(Statement row, store->db().Prepare(select));
  row.Bind(0, peak.process).Bind(1, peak.device);
  row.Bind(2, std::string_view(peak.layer));
  return row;
}

PeakSite SiteOf(Statement& row) {
  return {std::string(row.Text(0)), std::string(row.Text(1)), row.Int(2),
          row.Int(3), row.Int(4)};
}

Status AddSites(facts::Store* store, PeakSummary* peak) {
  ASSIGN_OR_RETURN(
      Statement row,
      PrepareFor(store,
                 "SELECT coalesce(s.chain, '(the pool''s own memory)'), "
                 "s.file, s.line, p.bytes, p.blocks FROM (SELECT * FROM "
                 "peak_site" +
                     std::string(kWhere) +
                     ") AS p LEFT JOIN allocation_site AS s USING (site) "
                     "ORDER BY p.bytes DESC, p.site LIMIT " +
                     std::to_string(kMaxPeakSites),
                 *peak));
  while (row.Step()) peak->sites.push_back(SiteOf(row));
  return row.status();
}

Status AddSizes(facts::Store* store, PeakSummary* peak) {
  ASSIGN_OR_RETURN(Statement row,
                   PrepareFor(store,
                              "SELECT least_bytes, bytes, blocks FROM "
                              "peak_size" +
                                  std::string(kWhere) + " ORDER BY 1",
                              *peak));
  while (row.Step()) {
    peak->sizes.push_back({row.Int(0), row.Int(1), row.Int(2)});
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
  row.Bind(0, held->process).Bind(1, held->device);
  while (row.Step()) held->sites.push_back(SiteOf(row));
  return row.status();
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
  while (row.Step()) {
    PeakSummary held;
    held.process = row.Int(0);
    held.device = row.Int(1);
    held.layer = "pool";
    held.at = row.IsNull(4) ? "end" : "refusal";
    held.bytes = row.Int(2);
    held.blocks = row.Int(3);
    RETURN_IF_ERROR(AddHeldSites(store, &held));
    peaks->push_back(std::move(held));
  }
  return row.status();
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
  while (row.Step()) {
    PeakSummary peak;
    peak.process = row.Int(0);
    peak.device = row.Int(1);
    peak.layer = row.Text(2);
    peak.bytes = row.Int(3);
    peak.blocks = row.Int(4);
    peak.persistent_bytes = Column(row, 5);
    peak.step_bytes = Column(row, 6);
    peak.transient_bytes = Column(row, 7);
    peak.carried_bytes = Column(row, 8);
    peak.waiting_bytes = row.Int(9);
    peaks.push_back(std::move(peak));
  }
  RETURN_IF_ERROR(row.status());
  for (PeakSummary& peak : peaks) {
    RETURN_IF_ERROR(AddSites(store, &peak));
    RETURN_IF_ERROR(AddSizes(store, &peak));
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
  while (row.Step()) {
    sites.push_back({row.Int(0), row.Int(1), std::string(row.Text(2)),
                     row.Int(3), row.Int(4), row.Int(5), row.Int(6),
                     row.Real(7)});
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
  while (row.Step()) {
    faults.push_back({row.Int(0), row.Int(1), std::string(row.Text(2)),
                      row.Int(3), row.Int(4)});
  }
  RETURN_IF_ERROR(row.status());
  return faults;
}

}  // namespace inquest::report
