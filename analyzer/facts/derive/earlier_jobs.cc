// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/earlier_jobs.h"

#include <fmt/format.h>

namespace inquest::facts {
namespace {

// A job may go on for its grace time after the signal to end.
constexpr int kStepsOfGrace = 100;

// Steps and tasks of a job carry its number first: 4711.0, 4711_3.
constexpr const char* kMark =
    "WITH stop AS MATERIALIZED (SELECT source, line, CAST(figures ->> '$.job' "
    "AS INTEGER) AS job FROM store_log_event WHERE role IN ('cause', "
    "'symptom') AND cause = 'process/preempted' AND figures ->> '$.job' IS NOT "
    "NULL), "
    "sign AS MATERIALIZED (SELECT source, line, role, figures ->> '$.launch' "
    "AS launch FROM store_log_event WHERE source IN (SELECT source FROM stop) "
    "AND (role IN ('progress', 'finish') OR figures ->> '$.launch' IS NOT "
    "NULL)), "
    "earlier AS MATERIALIZED (SELECT source, max(line) AS line FROM stop AS s "
    "WHERE EXISTS (SELECT 1 FROM stop AS o WHERE o.source = s.source AND "
    "o.line > s.line AND o.job <> s.job) "
    "OR EXISTS (SELECT 1 FROM sign AS g WHERE g.source = s.source AND g.line > "
    "s.line AND (g.role = 'finish' OR g.launch IS NOT NULL)) "
    "OR (SELECT count(*) FROM sign AS g WHERE g.source = s.source AND g.line > "
    "s.line AND g.role = 'progress') >= {} GROUP BY source) "
    "UPDATE store_log_event SET survived = 1 WHERE role IN ('cause', "
    "'symptom') AND EXISTS (SELECT 1 FROM earlier AS e WHERE e.source = "
    "store_log_event.source AND store_log_event.line <= e.line)";

}  // namespace

Status MarkEarlierJobs(Store* store) {
  return store->db().Execute(fmt::format(fmt::runtime(kMark), kStepsOfGrace));
}

}  // namespace inquest::facts
