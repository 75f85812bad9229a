// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/job/suspects.h"

#include <fmt/format.h>

#include <map>

#include "analyzer/findings/job/job_ranks.h"
#include "analyzer/findings/job/where_to_look.h"
#include "base/rows.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

constexpr size_t kMaxSuspects = 64;
constexpr size_t kMaxLastWords = 160;  // bytes
constexpr int64_t kSecond = 1'000'000'000;

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

}  // namespace

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

}  // namespace inquest::findings
