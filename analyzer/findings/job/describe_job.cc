// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/job/describe_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/findings/job/where_to_look.h"
#include "base/rows.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

constexpr size_t kMaxWaits = 8;
constexpr size_t kMaxSuspects = 64;
constexpr size_t kMaxLastWords = 160;  // bytes
constexpr int64_t kSecond = 1'000'000'000;

Expected<Ranks> SelectRanks(facts::Store* store, const std::string& sql) {
  Ranks ranks;
  ASSIGN_OR_RETURN(Statement row, store->db().Prepare(sql));
  while (row.Step()) ranks.push_back(row.Int(0));
  RETURN_IF_ERROR(row.status());
  return ranks;
}

// A line may name another rank than its own, so in a log of several ranks only
// lines that name one by their prefix count.
Expected<Ranks> RanksSeen(facts::Store* store) {
  return SelectRanks(
      store,
      "SELECT rank FROM store_log_source WHERE rank IS NOT NULL UNION SELECT "
      "e.rank FROM store_log_event AS e JOIN store_log_source AS s USING "
      "(source) WHERE e.rank IS NOT NULL AND s.rank IS NULL AND (e.role = "
      "'progress' OR e.fact = 'collective' OR e.figures ->> '$.rank' IS NULL) "
      "UNION SELECT rank FROM store_rank_place UNION SELECT rank FROM "
      "store_collective_rank ORDER BY 1");
}

// As all logs and traces say, or only those that are of one rank each.
Status FillWorld(facts::Store* store, int64_t* all, int64_t* of_ranks) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "WITH said(world, of_rank) AS (SELECT world, rank IS NOT NULL FROM "
          "store_log_source UNION ALL SELECT world_size, 1 FROM process) "
          "SELECT coalesce(max(world), 0), coalesce(max(iif(of_rank, world, "
          "0)), 0) FROM said"));
  row.Next(all, of_ranks);
  return row.status();
}

// How many ranks have a log or a trace of their own: where more than one has, a
// gap in their numbers is a rank of which nothing was given. Lines of one log
// tell of the ranks that had something to say.
Expected<int64_t> RanksWithOwnFiles(facts::Store* store) {
  return store->db().QueryInt(
      "SELECT (SELECT count(DISTINCT rank) FROM store_log_source) + (SELECT "
      "count(DISTINCT rank) FROM process)");
}

Ranks Without(const Ranks& all, const Ranks& some) {
  Ranks rest;
  std::ranges::set_difference(all, some, std::back_inserter(rest));
  return rest;
}

Ranks UpTo(int64_t count) {
  Ranks ranks(static_cast<size_t>(std::clamp<int64_t>(count, 0, 1'000'000)));
  for (size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<int64_t>(i);
  return ranks;
}

Status FillRanks(facts::Store* store, int64_t files, Job* job) {
  ASSIGN_OR_RETURN(job->ranks, RanksSeen(store));
  int64_t world = 0;
  RETURN_IF_ERROR(FillWorld(store, &job->world, &world));
  if (job->ranks.empty()) return Status::Ok();
  const int64_t seen = files > 1 ? job->ranks.back() + 1 : 0;
  job->missing = Without(UpTo(std::max(world, seen)), job->ranks);
  ASSIGN_OR_RETURN(
      job->cut, SelectRanks(store,
                            "SELECT DISTINCT rank FROM store_log_source WHERE "
                            "rank IS NOT NULL AND truncated = 1 ORDER BY 1"));
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT host FROM store_rank_place WHERE host IS NOT "
                          "NULL UNION SELECT host FROM store_log_source WHERE "
                          "host IS NOT NULL ORDER BY 1"));
  while (row.Step()) job->hosts.emplace_back(row.Text(0));
  return row.status();
}

// A line may name the rank on the other side, which has no line of its own in a
// log of several. Where each rank has a file, one without is missing.
Status AddNamedRanks(facts::Store* store, int64_t files, Job* job) {
  if (files > 1) return Status::Ok();
  ASSIGN_OR_RETURN(
      const Ranks named,
      SelectRanks(store,
                  "SELECT DISTINCT figures ->> '$.other_rank' FROM "
                  "store_log_event WHERE role IN ('cause', 'symptom') AND "
                  "typeof(figures ->> '$.other_rank') = 'integer' AND figures "
                  "->> '$.other_rank' >= 0 ORDER BY 1"));
  Ranks all;
  std::ranges::set_union(job->ranks, named, std::back_inserter(all));
  job->ranks = std::move(all);
  return Status::Ok();
}

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

struct LogEnd {
  std::string host;
  std::optional<int64_t> last;  // by the job's clock
  bool cut = false;
};

Expected<std::map<int64_t, LogEnd>> LogEnds(facts::Store* store) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT s.rank, max(coalesce(s.host, '')), max(s.last_time - "
          "coalesce(c.offset_ns, 0)), max(s.truncated) FROM store_log_source "
          "AS s LEFT JOIN store_clock AS c ON c.clock = CASE WHEN s.host IS "
          "NULL THEN 'log:' || s.source ELSE 'host:' || s.host END WHERE "
          "s.rank IS NOT NULL GROUP BY s.rank"));
  std::map<int64_t, LogEnd> ends;
  int64_t rank = 0;
  for (LogEnd end; row.Next(&rank, &end.host, &end.last, &end.cut);) {
    ends[rank] = end;
  }
  RETURN_IF_ERROR(row.status());
  return ends;
}

// What sets it apart from the sufferers.
std::string Silence(const Ranks& sufferers) {
  return "it does not report that it waited, as " +
         (sufferers.size() == 1 ? fmt::format("rank {} does", sufferers[0])
                                : "the others do");
}

std::string WhyOf(std::string why, const LogEnd& end,
                  std::optional<int64_t> others) {
  if (end.cut) why += "; its log ends in the middle of a line";
  if (end.last && others && *others - *end.last > 5 * kSecond) {
    why += fmt::format("; its log ends {} before theirs",
                       FormatDuration(*others - *end.last));
  }
  return why;
}

// The last line of its last log.
Expected<std::string> LastWords(facts::Store* store, int64_t rank) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT l.text FROM store_log_line AS l JOIN store_log_source AS s "
          "USING (source) WHERE s.rank = ? AND trim(l.text) <> '' ORDER BY "
          "coalesce(s.last_time, 0) DESC, l.source DESC, l.line DESC LIMIT 1"));
  row.BindAll(rank);
  std::string text;
  row.Next(&text);
  RETURN_IF_ERROR(row.status());
  return Printable(text, kMaxLastWords);
}

// Ranks whose watchdog spoke: they waited, though their line with the
// collective is not in the log.
Expected<Ranks> WatchdogRanks(facts::Store* store) {
  return SelectRanks(store,
                     "SELECT DISTINCT rank FROM store_log_event WHERE rank IS "
                     "NOT NULL AND signature LIKE 'distributed.watchdog.%' "
                     "ORDER BY 1");
}

// Who belongs to a group of some of the ranks, no line tells.
bool IsOfSomeRanks(facts::Store* store) {
  const auto all = store->db().QueryInt(
      "SELECT EXISTS (SELECT 1 FROM store_log_event WHERE cause = "
      "'distributed/collective-timeout' AND figures ->> '$.pg' IS NOT NULL) "
      "AND "
      "NOT EXISTS (SELECT 1 FROM store_log_event WHERE cause = "
      "'distributed/collective-timeout' AND (figures ->> '$.pg' LIKE "
      "'%default_pg%' OR figures ->> '$.pg' GLOB 'PG ID 0*' OR figures ->> "
      "'$.pg' = 'PG 0'))");
  return all.ok() && *all != 0;
}

// In one log of all ranks: the few that do not say that they waited, where
// nearly all others do.
Ranks FewSilent(const Job& job, const Ranks& sufferers) {
  constexpr size_t kFew = 4;
  const Ranks silent =
      Without(Without(UpTo(job.world), job.ranks), job.missing);
  const bool few =
      silent.size() <= kFew && 2 * silent.size() <= sufferers.size();
  return few ? silent : Ranks{};
}

Status FillSuspects(facts::Store* store, const Diagnosis& diagnosis, Job* job) {
  const Ranks sufferers = SufferersOf(*job);
  if (!IsOpen(diagnosis.verdict) || sufferers.empty() || IsOfSomeRanks(store)) {
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(const Ranks waiters, WatchdogRanks(store));
  ASSIGN_OR_RETURN(const auto ends, LogEnds(store));
  std::optional<int64_t> others;
  for (const int64_t rank : sufferers) {
    const auto end = ends.find(rank);
    if (end != ends.end() && end->second.last > others)
      others = end->second.last;
  }
  for (const int64_t rank : job->missing) {
    job->suspects.push_back({rank, "", "there is no log of it"});
  }
  const std::string silence = Silence(sufferers);
  for (const int64_t rank : FewSilent(*job, sufferers)) {
    job->suspects.push_back({rank, "", silence});
  }
  Ranks silent = Without(Without(job->ranks, sufferers), waiters);
  // What most ranks have in common sets none apart.
  if (silent.size() > sufferers.size()) silent.clear();
  for (const int64_t rank : silent) {
    const auto end = ends.find(rank);
    const LogEnd known = end == ends.end() ? LogEnd{} : end->second;
    ASSIGN_OR_RETURN(const std::string words, LastWords(store, rank));
    std::string why = WhyOf(silence, known, others);
    if (!words.empty()) why += "; its last words: " + words;
    job->suspects.push_back({rank, known.host, std::move(why)});
  }
  if (job->suspects.size() > kMaxSuspects) job->suspects.clear();
  return Status::Ok();
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
