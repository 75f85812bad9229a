// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/job/describe_job.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/findings/job/job_ranks.h"
#include "analyzer/findings/job/suspects.h"
#include "analyzer/findings/job/where_to_look.h"
#include "base/rows.h"

namespace inquest::findings {
namespace {

constexpr size_t kMaxWaits = 8;

Status FillWaits(facts::Store* store, Job* job) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT DISTINCT coalesce(figures ->> '$.optype', ''), figures ->> "
          "'$.seqnum', rank FROM store_log_event WHERE rank IS NOT NULL AND "
          "survived = 0 AND cause = 'distributed/collective-timeout' AND "
          "figures ->> '$.optype' IS NOT NULL ORDER BY 1, 2, 3"));
  std::map<std::pair<std::string, std::optional<int64_t>>, Ranks> waits;
  std::string optype;
  std::optional<int64_t> seqnum;
  for (int64_t rank = 0; row.Next(&optype, &seqnum, &rank);) {
    waits[{optype, seqnum}].push_back(rank);
  }
  RETURN_IF_ERROR(row.status());
  for (auto& [key, ranks] : waits) {
    job->waits.push_back({key.first, key.second, std::move(ranks)});
  }
  std::ranges::stable_sort(job->waits, std::greater(),
                           [](const Wait& wait) { return wait.ranks.size(); });
  if (job->waits.size() > kMaxWaits) job->waits.resize(kMaxWaits);
  ASSIGN_OR_RETURN(
      job->lost_peer,
      SelectRanks(store,
                  "SELECT DISTINCT rank FROM store_log_event WHERE rank "
                  "IS NOT NULL AND survived = 0 AND cause = "
                  "'distributed/peer-lost' ORDER BY 1"));
  return Status::Ok();
}

Status FillClocks(facts::Store* store, Job* job) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT CASE WHEN c.clock LIKE 'host:%' THEN substr(c.clock, 6) ELSE "
          "(SELECT path FROM store_log_source WHERE source = substr(c.clock, "
          "5)) END, offset_ns, error_ns, coalesce(tied_by, '') FROM "
          "store_clock AS c ORDER BY c.clock"));
  JobClock clock;
  while (row.Next(&clock.clock, &clock.offset_ns, &clock.error_ns,
                  &clock.tied_by)) {
    job->clocks.push_back(clock);
  }
  return row.status();
}

size_t CountUnordered(const Diagnosis& diagnosis) {
  if (!diagnosis.verdict.finding) return 0;
  size_t count = 0;
  for (const Finding& finding : diagnosis.findings) {
    count += std::ranges::any_of(finding.links, [&](const Link& link) {
      return link.by == *diagnosis.verdict.finding && !link.order_known &&
             link.kind == "explains";
    });
  }
  return count;
}

// Whether the two tell of one failure.
bool IsSameFailure(const Finding& root, size_t index, const Finding& finding) {
  return std::ranges::any_of(finding.links, [&](const Link& link) {
    return link.by == index &&
           (link.kind != "explains" || finding.cause == root.cause);
  });
}

// Lines of one failure may come with and without the rank. That of another
// process is not the root's.
void NameRootsRank(Diagnosis* diagnosis, size_t root) {
  Unit& unit = diagnosis->findings[root].unit;
  std::set<int64_t> ranks;
  std::string host;
  for (const Finding& finding : diagnosis->findings) {
    if (!finding.unit.rank || !MayBeOne(unit.pid, finding.unit.pid) ||
        !IsSameFailure(diagnosis->findings[root], root, finding)) {
      continue;
    }
    ranks.insert(*finding.unit.rank);
    host = finding.unit.host;
  }
  const bool same = MayBeOneHost(unit.host, host);
  if (unit.rank || ranks.size() != 1 || !same) return;
  unit.rank = *ranks.begin();
  if (unit.host.empty()) unit.host = host;
}

Status CompleteRoot(facts::Store* store, Diagnosis* diagnosis) {
  if (!diagnosis->verdict.finding) return Status::Ok();
  const size_t root = *diagnosis->verdict.finding;
  NameRootsRank(diagnosis, root);
  Unit& unit = diagnosis->findings[root].unit;
  if (!unit.rank) return Status::Ok();
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT device, pid FROM store_rank_place "
                          "WHERE rank = ?"));
  row.BindAll(*unit.rank);
  std::optional<int64_t> device, pid;
  row.Next(&device, &pid);
  if (!unit.device) unit.device = device;
  if (!unit.pid) unit.pid = pid;
  Figures& figures = diagnosis->verdict.figures;
  figures.AddIfNew("rank", *unit.rank);
  if (unit.device) figures.AddIfNew("device", *unit.device);
  if (unit.pid) figures.AddIfNew("pid", *unit.pid);
  return row.status();
}

}  // namespace

Status DescribeJob(facts::Store* store, Diagnosis* diagnosis) {
  Job job;
  ASSIGN_OR_RETURN(const int64_t files, RanksWithOwnFiles(store));
  RETURN_IF_ERROR(FillRanks(store, files, &job));
  RETURN_IF_ERROR(CompleteRoot(store, diagnosis));
  if (job.ranks.size() < 2) return Status::Ok();
  RETURN_IF_ERROR(FillWaits(store, &job));
  RETURN_IF_ERROR(FillClocks(store, &job));
  RETURN_IF_ERROR(FillSuspects(store, *diagnosis, &job));
  job.order_unknown = CountUnordered(*diagnosis);
  NameWhereToLook(job, diagnosis);
  RETURN_IF_ERROR(AddNamedRanks(store, files, &job));
  diagnosis->job = std::move(job);
  return Status::Ok();
}

}  // namespace inquest::findings
