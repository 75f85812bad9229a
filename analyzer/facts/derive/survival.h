// SPDX-License-Identifier: Apache-2.0
// Which errors of the logs the run survived, and whether a log's line that says
// the work is done has the last word. Part of DecideEnding, whose rules
// ending.h tells; fed with the events of each log in the order of its lines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace inquest::facts {

struct EndingEvent {
  int64_t id = 0;
  std::string role;
  int64_t source = 0;
  int64_t line = 0;
  std::optional<int64_t> rank;
  // One process failed, for no reason given, or its user interrupted it; not by
  // an exception that the user would see, nor by its exit status.
  bool is_vague = false;
  bool at_start_up = false;  // a GPU or library cannot be used
  bool handled = false;      // a sign of progress that mentions the error
  std::optional<int64_t> epoch;
  bool is_last_step = false;  // of as many as it names
  bool names_cause = false;   // of an error: more than that something failed
  // Of the end of the work: a server that is told to end does so in order,
  // whether or not it could serve.
  bool is_orderly_only = false;
};

class Survival {
 public:
  void Add(const EndingEvent& event);
  // After the last event: an error that was handled, with no further one after
  // it, did not end the run, even if the log shows no later step.
  void End();

  const std::vector<int64_t>& survived() const { return survived_; }
  int64_t last_progress() const { return last_progress_; }
  int64_t progress_count() const { return progress_count_; }
  // The line in which a log says that the run completed, if nothing after it in
  // that log says otherwise; 0: none.
  int64_t finish() const { return last_finish_; }

 private:
  // Errors of one log (and of one rank, if lines carry ranks) that are not yet
  // known to be survived.
  struct Error {
    int64_t event = 0;
    bool names_cause = false;
  };
  struct Pending {
    std::vector<Error> errors;
    int progress = 0;
    int needed = 0;
    bool handled = false;  // the program said that it continues
  };
  struct Finish {
    int64_t event = 0;  // 0: no such line, or it was about a part of the run
    int64_t line = 0;
    int work_after = 0;
    int open_work = 0;  // steps after it whose end is not in the log
  };

  void Begin(int64_t source);
  bool BeginsAnew(const EndingEvent& event);
  void AddError(const EndingEvent& event);
  void AddFinish(const EndingEvent& event);
  void AddProgress(const EndingEvent& event);
  void Release(std::optional<int64_t> rank, int signs);
  void Handle(std::optional<int64_t> rank);
  void MarkPendingSurvived(Pending* pending);
  void MarkVagueSurvived();

  std::map<std::optional<int64_t>, Pending> pending_;
  std::vector<int64_t> survived_;
  int64_t source_ = -1;
  bool works_ = false;  // has done a step in this log
  std::optional<int64_t> last_epoch_;
  bool begun_anew_ = false;
  Finish finish_;
  int64_t last_finish_ = 0;
  int64_t last_progress_ = 0;
  int64_t last_progress_line_ = 0;
  int64_t progress_count_ = 0;
};

}  // namespace inquest::facts
