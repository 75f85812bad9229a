// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/ending.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/derive/earlier_jobs.h"
#include "analyzer/facts/derive/earlier_runs.h"
#include "analyzer/facts/derive/survival.h"

namespace inquest::facts {
namespace {

// A code on a line that a signature recognises by its words, or that Python
// quotes from a source file below a frame, adds nothing. Sets of places, not
// EXISTS: a line may have hundreds of events.
Status DropRedundantCodes(Store* store) {
  return store->db().Execute(
      "DELETE FROM store_log_event WHERE fact = 'error_code' AND "
      "((source, line) IN (SELECT b.source, b.line FROM store_log_event AS b "
      "WHERE b.role IN ('cause', 'symptom', 'confirm', 'benign', 'advice') AND "
      "coalesce(b.fact, '') <> 'error_code' AND coalesce(b.cause, '') NOT IN "
      "('unknown', 'process/exception', 'process/killed')) OR "
      "(source, line - 1) IN (SELECT f.source, f.line FROM store_log_frame "
      "AS f))");
}

// Below a frame Python quotes the source, indented: `raise X("no GPU")` or a
// text that goes with it is not yet the error, which the traceback's last line
// says. Where the log ends before that line, the quotation is all there is. The
// few quotations are found first: a log may have events by the million, and not
// one frame.
Status DropQuotedSource(Store* store) {
  return store->db().Execute(
      "DELETE FROM store_log_event WHERE id IN (WITH quoted AS MATERIALIZED ("
      "SELECT id, signature, source, line FROM store_log_event "
      "WHERE role IN ('cause', 'symptom') AND (source, line - 1) IN "
      "(SELECT f.source, f.line FROM store_log_frame AS f) "
      "AND (text LIKE '    %' OR ltrim(text) LIKE 'raise %')), "
      "last AS MATERIALIZED (SELECT signature, source, max(line) AS line "
      "FROM store_log_event WHERE role IN ('cause', 'symptom') AND "
      "(signature, source) IN (SELECT q.signature, q.source FROM quoted AS q) "
      "GROUP BY signature, source) "
      "SELECT q.id FROM quoted AS q JOIN last AS l "
      "ON l.signature = q.signature AND l.source = q.source "
      "WHERE l.line > q.line)");
}

Status ReadEvents(Store* store, Survival* survival) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          // Who stops a program that is done kills nothing; the traceback of an
          // interrupt begins above it.
          "WITH interrupt AS MATERIALIZED (SELECT source, line FROM "
          "store_log_event WHERE signature GLOB 'endings.interrupt*') "
          "SELECT id, role, source, line, rank, "
          "CASE WHEN signature = 'python.traceback' THEN EXISTS (SELECT 1 FROM "
          "interrupt AS i WHERE i.source = e.source AND i.line BETWEEN e.line "
          "AND e.line + 100) "
          "WHEN signature GLOB 'endings.interrupt*' THEN 1 "
          "WHEN signature GLOB 'python.*' OR signature GLOB 'endings.*' THEN 0 "
          "ELSE (coalesce(cause, 'unknown') IN ('unknown', "
          "'process/exception') OR (role = 'symptom' AND cause IN "
          "('process/killed', 'distributed/peer-lost'))) "
          "AND figures ->> '$.job' IS NULL END, "
          "coalesce(cause, '') = "
          "'device/unavailable' OR coalesce(cause, '') LIKE 'version/%', "
          "role = 'progress' AND figures ->> '$.handled' IS NOT NULL AS "
          "handled, "
          "CASE WHEN role IN ('progress', 'finish', 'milestone') THEN "
          "CAST(figures ->> '$.epoch' AS INTEGER) END AS epoch, "
          "coalesce(figures ->> '$.step' >= figures ->> '$.steps', 0), "
          "coalesce(cause, 'unknown') NOT IN ('unknown', "
          "'process/exception'), "
          "figures ->> '$.orderly' IS NOT NULL "
          "FROM store_log_event AS e WHERE role = 'progress' OR "
          // What a build says at its end, a run may say at its beginning.
          "(role = 'finish' AND (figures ->> '$.at_end' IS NULL OR EXISTS "
          "(SELECT 1 FROM store_log_source AS s WHERE s.source = e.source AND "
          "s.lines - e.line < 3))) OR (role = 'milestone' AND epoch IS NOT "
          "NULL) OR (role IN ('cause', 'symptom') AND "
          "severity = 'error' AND survived = 0 AND coalesce(cause, '') <> "
          "'process/preempted') ORDER BY source, line, handled, id"));
  for (EndingEvent one;
       row.Next(&one.id, &one.role, &one.source, &one.line, &one.rank,
                &one.is_vague, &one.at_start_up, &one.handled, &one.epoch,
                &one.is_last_step, &one.names_cause, &one.is_orderly_only);) {
    survival->Add(one);
  }
  survival->End();
  return row.status();
}

Status MarkSurvived(Store* store, const std::vector<int64_t>& events) {
  ASSIGN_OR_RETURN(Statement mark,
                   store->db().Prepare("UPDATE store_log_event SET survived = "
                                       "1 WHERE id = ?"));
  for (const int64_t id : events) RETURN_IF_ERROR(mark.Run(id));
  return Status::Ok();
}

// A benign signature holds for its whole line: "plan failed with an out of
// memory error" is a remark of a library that tries another plan. Some also
// hold for the traceback that follows them or that they end.
Status MarkBenignSurvived(Store* store) {
  return store->db().Execute(fmt::format(
      "UPDATE store_log_event SET survived = 1 WHERE role IN ('cause', "
      "'symptom') AND (source, line) IN (SELECT b.source, b.line FROM "
      "store_log_event AS b WHERE b.role = 'benign'); "
      "WITH {} UPDATE store_log_event SET survived = 1 WHERE role IN ('cause', "
      "'symptom') AND id IN (SELECT id FROM ignored_event)",
      kIgnoredTracebacks));
}

enum class Outcome : uint8_t { kDied, kFinished, kAlive };

// The first question that has an answer decides how the run ended; the answer
// is the row or line that says so. Exit statuses come before words of logs.
struct Question {
  Outcome outcome;
  const char* sql;
};

constexpr Question kQuestions[] = {
    {Outcome::kDied,
     "SELECT 'run:1' FROM store_run WHERE end_time IS NOT NULL AND "
     "(coalesce(exit_code, 0) <> 0 OR coalesce(signal, 0) <> 0)"},
    {Outcome::kFinished,
     "SELECT 'run:1' FROM store_run WHERE end_time IS NOT NULL"},
    {Outcome::kDied, "SELECT 'run:1' FROM store_run WHERE state = 'vanished'"},
    {Outcome::kDied,
     "SELECT 'log_event:' || id FROM store_log_event WHERE role IN ('cause', "
     "'symptom') AND severity = 'error' AND survived = 0 ORDER BY id LIMIT 1"},
    {Outcome::kDied,
     "SELECT evidence FROM process_exit WHERE source = 'trace' AND signal IS "
     "NOT NULL LIMIT 1"},
    // Workers may be killed at the end of a clean run.
    {Outcome::kDied,
     "SELECT 'process:' || process FROM process AS p WHERE state = 'vanished' "
     "AND NOT EXISTS (SELECT 1 FROM process WHERE state = 'ended') AND NOT "
     "EXISTS (SELECT 1 FROM process_exit AS e WHERE e.pid = p.pid) LIMIT 1"},
    {Outcome::kAlive, "SELECT 'run:1' FROM store_run WHERE state = 'alive'"},
    {Outcome::kAlive,
     "SELECT 'process:' || process FROM process WHERE state = 'alive' LIMIT 1"},
    {Outcome::kFinished,
     "SELECT 'log_event:' || id FROM store_log_event WHERE id = ?"},
    // All ranks answered a service inside the running job.
    {Outcome::kAlive,
     "SELECT 'log_event:' || max(event) FROM store_ras_state WHERE kind = "
     "'in-order' HAVING count(*) > 0"},
    // Every recorded process called exit, and with status 0.
    {Outcome::kFinished,
     "SELECT max(evidence) FROM process_exit WHERE source = 'trace' HAVING "
     "count(*) > 0 AND count(exitcode) = count(*) AND sum(exitcode <> 0) = 0 "
     "AND count(*) >= (SELECT count(*) FROM process)"}};

struct Ending {
  std::optional<Outcome> outcome;  // empty: nothing says how it ended
  std::string evidence;
};

// `finish` is the line that says that the run completed; 0: there is none.
Expected<Ending> Judge(Store* store, int64_t finish) {
  Ending ending;
  for (const Question& question : kQuestions) {
    ASSIGN_OR_RETURN(Statement row, store->db().Prepare(question.sql));
    if (row.parameters() == 1) row.BindAll(finish);
    const bool answered = row.Next(&ending.evidence);
    RETURN_IF_ERROR(row.status());
    if (!answered) continue;
    ending.outcome = question.outcome;
    break;
  }
  return ending;
}

}  // namespace

Status DecideEnding(Store* store) {
  RETURN_IF_ERROR(DropRedundantCodes(store));
  RETURN_IF_ERROR(DropQuotedSource(store));
  RETURN_IF_ERROR(MarkBenignSurvived(store));
  RETURN_IF_ERROR(MarkEarlierJobs(store));
  RETURN_IF_ERROR(MarkEarlierRuns(store));
  Survival survival;
  RETURN_IF_ERROR(ReadEvents(store, &survival));
  RETURN_IF_ERROR(MarkSurvived(store, survival.survived()));
  ASSIGN_OR_RETURN(const Ending ending, Judge(store, survival.finish()));
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("INSERT INTO store_ending VALUES (?, ?, ?, ?, ?, "
                          "?)"));
  const std::optional<int64_t> last_progress =
      survival.last_progress() != 0 ? std::optional(survival.last_progress())
                                    : std::nullopt;
  return row.Run(ending.outcome == Outcome::kDied,
                 ending.outcome == Outcome::kFinished,
                 NullIfEmpty(ending.evidence), last_progress,
                 survival.progress_count(), ending.outcome == Outcome::kAlive);
}

}  // namespace inquest::facts
