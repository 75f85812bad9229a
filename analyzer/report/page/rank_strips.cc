// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/page/rank_strips.h"

#include <algorithm>

#include "base/units.h"

namespace inquest::report {
namespace {

constexpr int64_t kAllSpans = 12'000;
constexpr int64_t kAllMarks = 2'400;
constexpr size_t kMaxText = 120;

// How far a host's clock is ahead of the job's.
#define OFFSET_OF(host)                                                  \
  "coalesce((SELECT offset_ns FROM clock WHERE clock = 'host:' || " host \
  "), "                                                                  \
  "0)"

// Whatever has a rank and a time.
constexpr const char* kStrips =
    "WITH seen(rank, host, at, until) AS ("
    "SELECT rank, host, start_time - " OFFSET_OF("host") ", end_time - "
    OFFSET_OF("host") " FROM process UNION ALL "
    "SELECT rank, host, first_time - " OFFSET_OF("host") ", last_time - "
    OFFSET_OF("host") " FROM log_source UNION ALL "
    "SELECT rank, host, min(time - clock_offset), max(time - clock_offset) "
    "FROM log_event WHERE rank IS NOT NULL GROUP BY rank UNION ALL "
    "SELECT rank, NULL, min(time), max(max(time, coalesce(started_time, time), "
    "coalesce(completed_time, time))) FROM collective_entry GROUP BY rank "
    "UNION ALL SELECT rank, host, NULL, NULL FROM rank_place UNION ALL SELECT "
    "rank, NULL, NULL, NULL FROM collective_dump UNION ALL SELECT rank, NULL, "
    "NULL, NULL FROM stack_process) "
    "SELECT rank, coalesce(max(nullif(host, '')), ''), min(nullif(at, 0)), "
    "max(nullif(until, 0)) FROM seen WHERE rank IS NOT NULL GROUP BY rank "
    "ORDER BY rank LIMIT ?";

Status ReadStrips(const PageSource& source, size_t most, RankStrips* strips) {
  ASSIGN_OR_RETURN(Statement row, source.store->db().Prepare(kStrips));
  row.BindAll(static_cast<int64_t>(most));
  int64_t rank = 0;
  RankStrip strip;
  while (row.Next(&rank, &strip.host, &strip.from, &strip.to)) {
    strips->ranks[rank] = strip;
  }
  return row.status();
}

// What flight recorders kept: of each rank the last ones, those first that did
// not complete.
constexpr const char* kCollectives =
    "SELECT rank, time, completed_time, name, state FROM (SELECT rank, time, "
    "completed_time, profiling_name || coalesce(' ' || seqnum, '') || iif("
    "coalesce(description, '') IN ('', 'default_pg'), '', ' of ' || "
    "description) AS name, iif(pending = 0, 0, iif(retired = 1, 2, 1)) AS "
    "state, row_number() OVER (PARTITION BY rank ORDER BY pending DESC, time "
    "DESC) AS number FROM collective_entry WHERE rank IS NOT NULL AND time IS "
    "NOT NULL) WHERE number <= ? ORDER BY rank, time";

// What a watchdog gave up on, in a log: it had waited for its whole time.
constexpr const char* kWaitsInLogs =
    "SELECT coalesce(c.rank, e.rank, l.rank) AS rank, e.time - e.clock_offset "
    "- c.timeout_ms * 1000000, e.time - e.clock_offset, c.optype || "
    "coalesce(' ' || c.seqnum, ''), 2 FROM collective AS c JOIN log_event AS e "
    "ON e.id = CAST(substr(c.evidence, 11) AS INTEGER) JOIN log_source AS l ON "
    "l.source = e.source WHERE "
    "c.timeout_ms > 0 AND c.optype IS NOT NULL AND e.time IS NOT NULL AND "
    "coalesce(c.rank, e.rank, l.rank) IS NOT NULL GROUP BY 1, 4 ORDER BY 1, 2 "
    "LIMIT ? * 4096";

constexpr const char* kStepsOfRanks =
    "SELECT rank, begin_time, end_time, name, 3 FROM (SELECT p.rank, "
    "s.begin_time - " OFFSET_OF("p.host") " AS begin_time, s.end_time - "
    OFFSET_OF("p.host") " AS end_time, 'step ' || s.step AS name, row_number() "
    "OVER (PARTITION BY s.process ORDER BY s.step DESC) AS number FROM step AS "
    "s JOIN process AS p USING (process) WHERE p.rank IS NOT NULL) WHERE "
    "number <= ? ORDER BY rank, begin_time";

Status ReadSpans(const PageSource& source, const char* sql, int64_t each,
                 RankStrips* strips) {
  ASSIGN_OR_RETURN(Statement row, source.store->db().Prepare(sql));
  row.BindAll(each);
  RankSpan span;
  int64_t state = 0;
  while (row.Next(&span.rank, &span.begin, &span.end, &span.name, &state)) {
    span.state = static_cast<SpanState>(std::clamp<int64_t>(state, 0, 3));
    span.name = Printable(span.name, kMaxText);
    if (strips->ranks.contains(span.rank)) strips->spans.push_back(span);
  }
  return row.status();
}

// The first of each rank: what follows a failure says less.
constexpr const char* kMarksOfRanks =
    "SELECT rank, time, signature, text FROM (SELECT *, row_number() OVER "
    "(PARTITION BY rank ORDER BY time) AS number FROM (SELECT coalesce(e.rank, "
    "l.rank) AS rank, e.time - e.clock_offset AS time, e.signature, e.text FROM "
    "log_event AS e JOIN log_source AS l USING (source) WHERE e.severity = "
    "'error' AND e.role IN ('cause', 'symptom') AND e.survived = 0 AND e.time "
    "IS NOT NULL UNION ALL SELECT p.rank, o.time - " OFFSET_OF("p.host")
    ", 'refused', 'a request for device memory was refused' FROM oom AS o JOIN "
    "process AS p USING (process) WHERE o.source = 'trace' AND o.survived = 0 "
    "AND o.time IS NOT NULL) WHERE rank IS NOT NULL) WHERE number <= ? ORDER "
    "BY rank, time";

Status ReadMarks(const PageSource& source, int64_t each, RankStrips* strips) {
  ASSIGN_OR_RETURN(Statement row, source.store->db().Prepare(kMarksOfRanks));
  row.BindAll(each);
  RankMark mark;
  while (row.Next(&mark.rank, &mark.time, &mark.signature, &mark.text)) {
    mark.text = Printable(mark.text, kMaxText);
    if (strips->ranks.contains(mark.rank)) strips->marks.push_back(mark);
  }
  return row.status();
}

}  // namespace

size_t Names::Number(const std::string& name) {
  const auto [at, is_new] = numbers_.try_emplace(name, list_.size());
  if (is_new) list_.push_back(name);
  return at->second;
}

Expected<RankStrips> ReadRankStrips(const PageSource& source, size_t most) {
  RankStrips strips;
  RETURN_IF_ERROR(ReadStrips(source, most, &strips));
  if (strips.ranks.empty()) return strips;
  const auto count = static_cast<int64_t>(strips.ranks.size());
  const int64_t each = std::clamp<int64_t>(kAllSpans / count, 4, 400);
  RETURN_IF_ERROR(ReadSpans(source, kStepsOfRanks, each / 4, &strips));
  RETURN_IF_ERROR(ReadSpans(source, kCollectives, each / 2, &strips));
  RETURN_IF_ERROR(ReadSpans(source, kWaitsInLogs, 4, &strips));
  RETURN_IF_ERROR(ReadMarks(
      source, std::clamp<int64_t>(kAllMarks / count, 2, 40), &strips));
  return strips;
}

}  // namespace inquest::report
