// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/ending.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace inquest::facts {
namespace {

constexpr int kProgressThatProves = 3;

// Errors of one log (and, where lines carry ranks, of one rank) that are not
// yet known to have been survived.
struct Pending {
  std::vector<int64_t> errors;
  int progress = 0;
  int needed = kProgressThatProves;
  bool handled = false;  // the program said that it goes on without it
};

struct Event {
  int64_t id = 0;
  std::string role;
  int64_t source = 0;
  int64_t line = 0;
  std::optional<int64_t> rank;
  bool says_little = false;  // one process failed, for no reason given
  bool of_start_up = false;  // a GPU or library cannot be used
  bool handled = false;      // a sign of progress that speaks of the error
};

class Survival {
 public:
  void Add(const Event& event) {
    if (event.source != source_) Begin(event.source);
    if (event.handled) Handle(event.rank);
    const std::string& role = event.role;
    // Several signatures see progress in one line.
    if (event.line == last_progress_line_ && role == "progress") return;
    if (role == "symptom" && event.says_little && finish_ != 0) {
      survived_.push_back(event.id);  // while shutting down, the work done
    } else if (role == "cause" || role == "symptom") {
      AddError(event);
    } else if (role == "finish") {
      finish_ = event.id;
      Release(event.rank, kProgressThatProves);
    } else {
      last_progress_ = event.id;
      last_progress_line_ = event.line;
      ++progress_count_;
      works_ = true;
      Release(event.rank, 1);
    }
  }

  // After the last event: an error that was handled, with no further one after
  // it, did not end the run, even if the log shows no later step.
  void End() {
    for (auto& [unused, pending] : pending_)
      if (pending.handled) Forgive(&pending);
  }

  const std::vector<int64_t>& survived() const { return survived_; }
  int64_t last_progress() const { return last_progress_; }
  int64_t progress_count() const { return progress_count_; }
  bool finished() const { return finish_ > last_error_; }

 private:
  void Begin(int64_t source) {
    End();
    pending_.clear();
    finish_ = 0;
    works_ = false;
    last_progress_line_ = 0;
    source_ = source;
  }

  // Steps still in flight may print after an error. Before the first step there
  // are none, so one step shows that the program works without the GPU.
  void AddError(const Event& event) {
    Pending& mine = pending_[event.rank];
    if (mine.errors.empty()) mine.needed = 1;
    if (works_ || !event.of_start_up) mine.needed = kProgressThatProves;
    mine.errors.push_back(event.id);
    for (auto& [unused, pending] : pending_) pending.progress = 0;
    for (auto& [unused, pending] : pending_) pending.handled = false;
    last_error_ = event.id;
  }

  // A line without a rank may speak for any; one with a rank for its own and
  // for those that have none.
  void Release(std::optional<int64_t> rank, int signs) {
    for (auto& [key, pending] : pending_) {
      if (rank && key && *rank != *key) continue;
      pending.progress += signs;
      if (pending.progress >= pending.needed) Forgive(&pending);
    }
  }

  void Handle(std::optional<int64_t> rank) {
    for (auto& [key, pending] : pending_)
      if (!rank || !key || *rank == *key) pending.handled = true;
  }

  void Forgive(Pending* pending) {
    survived_.insert(survived_.end(), pending->errors.begin(),
                     pending->errors.end());
    pending->errors.clear();
  }

  std::map<std::optional<int64_t>, Pending> pending_;
  std::vector<int64_t> survived_;
  int64_t source_ = -1;
  bool works_ = false;  // has done a step in this log
  int64_t last_error_ = 0;
  int64_t finish_ = 0;
  int64_t last_progress_ = 0;
  int64_t last_progress_line_ = 0;
  int64_t progress_count_ = 0;
};

Status ReadEvents(Store* store, Survival* survival) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT id, role, source, line, rank, (coalesce(cause, 'unknown') IN "
          "('unknown', 'process/exception') OR (role = 'symptom' AND cause IN "
          "('process/killed', 'distributed/peer-lost'))) "
          "AND figures ->> '$.job' IS NULL, "
          "coalesce(cause, '') = "
          "'device/unavailable' OR coalesce(cause, '') LIKE 'version/%', "
          "role = 'progress' AND figures ->> '$.handled' IS NOT NULL AS "
          "handled "
          "FROM store_log_event WHERE role "
          "IN ('progress', 'finish') OR (role IN ('cause', 'symptom') AND "
          "severity = 'error' AND survived = 0 AND coalesce(cause, '') <> "
          "'process/preempted') ORDER BY source, line, handled, id"));
  for (Event one;
       row.Next(&one.id, &one.role, &one.source, &one.line, &one.rank,
                &one.says_little, &one.of_start_up, &one.handled);) {
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

// A benign signature speaks for its whole line: "plan failed with an out of
// memory error" is a remark of a library that goes on to another plan. One with
// the figure `traceback` ("Exception ignored in") speaks for the traceback that
// follows it as well.
Status ForgiveBenignLines(Store* store) {
  return store->db().Execute(
      "UPDATE store_log_event SET survived = 1 WHERE role IN ('cause', "
      "'symptom') AND EXISTS (SELECT 1 FROM store_log_event AS b WHERE "
      "b.role = 'benign' AND b.source = store_log_event.source AND "
      "b.line = store_log_event.line); "
      "UPDATE store_log_event SET survived = 1 WHERE role = 'symptom' AND "
      "(signature LIKE 'python.%' OR signature = "
      "'distributed.connection-generic') AND EXISTS (SELECT 1 FROM "
      "store_log_event AS b WHERE b.source = store_log_event.source AND b.line "
      "BETWEEN store_log_event.line - 40 AND store_log_event.line AND "
      "b.role = 'benign' AND b.figures ->> '$.traceback' IS NOT NULL)");
}

struct Death {
  bool died = false;
  bool finished = false;
  std::string evidence;
};

// Every recorded process called exit, and with status 0.
Status FindCleanExits(Store* store, Death* death) {
  ASSIGN_OR_RETURN(
      Statement exits,
      store->db().Prepare(
          "SELECT max(evidence) FROM process_exit WHERE source = 'trace' "
          "HAVING count(*) > 0 AND count(exitcode) = count(*) "
          "AND sum(exitcode <> 0) = 0 "
          "AND count(*) >= (SELECT count(*) FROM process)"));
  death->finished |= exits.Next(&death->evidence);
  return exits.status();
}

Expected<Death> Judge(Store* store, bool log_finished) {
  Death death;
  death.finished = log_finished;
  ASSIGN_OR_RETURN(
      Statement run,
      store->db().Prepare("SELECT coalesce(exit_code, 0) <> 0 OR "
                          "coalesce(signal, 0) <> 0 "
                          "FROM store_run WHERE end_time IS NOT NULL"));
  if (run.Next(&death.died)) {
    death.finished = !death.died;
    death.evidence = "run:1";
    return death;
  }
  ASSIGN_OR_RETURN(
      Statement error,
      store->db().Prepare(
          "SELECT 'log_event:' || id FROM store_log_event "
          "WHERE role IN ('cause', 'symptom') AND severity = 'error' "
          "AND survived = 0 ORDER BY id LIMIT 1"));
  if (error.Next(&death.evidence)) {
    death.died = true;
    death.finished = false;
    return death;
  }
  ASSIGN_OR_RETURN(
      Statement crash,
      store->db().Prepare("SELECT evidence FROM process_exit WHERE source = "
                          "'trace' AND signal IS NOT NULL LIMIT 1"));
  if (crash.Next(&death.evidence)) {
    death.died = true;
    death.finished = false;
    return death;
  }
  RETURN_IF_ERROR(FindCleanExits(store, &death));
  return death;
}

}  // namespace

Status DecideEnding(Store* store) {
  RETURN_IF_ERROR(ForgiveBenignLines(store));
  Survival survival;
  RETURN_IF_ERROR(ReadEvents(store, &survival));
  RETURN_IF_ERROR(MarkSurvived(store, survival.survived()));
  ASSIGN_OR_RETURN(const Death death, Judge(store, survival.finished()));
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("INSERT INTO store_ending VALUES (?, ?, ?, ?, ?)"));
  const std::optional<int64_t> last_progress =
      survival.last_progress() != 0 ? std::optional(survival.last_progress())
                                    : std::nullopt;
  return row.Run(death.died, death.finished, NullIfEmpty(death.evidence),
                 last_progress, survival.progress_count());
}

}  // namespace inquest::facts
