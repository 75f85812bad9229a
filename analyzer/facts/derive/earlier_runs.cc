// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/earlier_runs.h"

namespace inquest::facts {
namespace {

// The last start of a run with an error above it, and below it an error or, of
// a run that began in the same words, an end. Words of an error may come twice
// in one run.
constexpr const char* kFindLastRuns =
    "WITH start AS MATERIALIZED (SELECT source, line, figures ->> "
    "'$.repeats_opening' IS NOT NULL AS again FROM store_log_event WHERE "
    "role = 'context' AND figures ->> '$.starts_run' IS NOT NULL AND source "
    "NOT IN (SELECT source "
    "FROM store_log_source WHERE kind = 'kernel')), "
    "error AS MATERIALIZED (SELECT source, line FROM store_log_event WHERE "
    "source IN (SELECT source FROM start) AND role IN ('cause', 'symptom') "
    "AND severity = 'error' AND survived = 0), "
    "bounds AS MATERIALIZED (SELECT source, min(line) AS first, max(line) AS "
    "last FROM error GROUP BY source), "
    "sole AS MATERIALIZED (SELECT source FROM bounds AS b WHERE (SELECT "
    "count(*) FROM start AS s WHERE s.source = b.source AND s.again AND "
    "s.line < b.first) = 1), "
    "finish AS MATERIALIZED (SELECT source, max(line) AS line FROM "
    "store_log_event WHERE role = 'finish' AND source IN (SELECT source FROM "
    "start) GROUP BY source) "
    "INSERT INTO store_log_last_run SELECT s.source, max(s.line) FROM start AS "
    "s JOIN bounds AS b USING (source) LEFT JOIN finish AS f USING (source) "
    "WHERE s.line > b.first AND (s.line < b.last OR (s.again AND s.line < "
    "f.line)) AND (NOT s.again OR s.source IN (SELECT source FROM sole)) AND "
    "NOT EXISTS (SELECT 1 FROM store_log_event AS x WHERE x.source = s.source "
    "AND x.line BETWEEN s.line AND s.line + s.again AND x.role IN ('cause', "
    "'symptom', 'suspect')) GROUP BY s.source";

constexpr const char* kMarkOthers =
    "UPDATE store_log_event AS e SET survived = 1 WHERE source IN (SELECT "
    "source FROM store_log_last_run) AND line < (SELECT r.line FROM "
    "store_log_last_run AS r WHERE r.source = e.source) AND role IN ('cause', "
    "'symptom') AND coalesce(cause, '') NOT GLOB 'hardware/*'";

}  // namespace

Status MarkEarlierRuns(Store* store) {
  RETURN_IF_ERROR(store->db().Execute(kFindLastRuns));
  return store->db().Execute(kMarkOthers);
}

}  // namespace inquest::facts
