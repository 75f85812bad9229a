// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/survival.h"

namespace inquest::facts {
namespace {

constexpr int kStepsToSurvive = 3;
// Tests and exports may follow the training; more work means that the line was
// about a part of the run.
constexpr int kWorkAfterFinish = 20;
// So few lines may be a summary with a rate in it.
constexpr int kOpenWork = 2;
constexpr int64_t kFirstEpoch = 1;  // or 0

}  // namespace

void Survival::Add(const EndingEvent& event) {
  if (event.source != source_) Begin(event.source);
  if (event.handled) Handle(event.rank);
  if (BeginsAnew(event)) finish_ = {};
  const std::string& role = event.role;
  if (role == "symptom" && event.is_vague && finish_.event != 0) {
    survived_.push_back(event.id);  // during shutdown, after the work
  } else if (role == "cause" || role == "symptom") {
    AddError(event);
  } else if (role == "finish") {
    AddFinish(event);
  } else if (role == "progress") {
    AddProgress(event);
  }
}

void Survival::End() {
  if (finish_.event != 0 && finish_.open_work < kOpenWork) {
    last_finish_ = finish_.event;
  }
  for (auto& [unused, pending] : pending_)
    if (pending.handled) MarkPendingSurvived(&pending);
}

void Survival::Begin(int64_t source) {
  End();
  pending_.clear();
  finish_ = {};
  works_ = false;
  last_epoch_.reset();
  begun_anew_ = false;
  last_progress_line_ = 0;
  source_ = source;
}

// Whether work follows a first epoch that is not the first: of the next fold or
// trial, so that what was done before was a part of the run.
bool Survival::BeginsAnew(const EndingEvent& event) {
  if (event.epoch) {
    begun_anew_ =
        last_epoch_.value_or(0) > kFirstEpoch && *event.epoch <= kFirstEpoch;
    last_epoch_ = event.epoch;
  }
  return begun_anew_ && event.role == "progress";
}

// Steps still in flight may print after an error. Before the first step there
// are none, so one step shows that the program works without the GPU.
void Survival::AddError(const EndingEvent& event) {
  Pending& mine = pending_[event.rank];
  if (mine.errors.empty()) mine.needed = 1;
  if (works_ || !event.at_start_up) mine.needed = kStepsToSurvive;
  mine.errors.push_back({event.id, event.names_cause});
  for (auto& [unused, pending] : pending_) pending.progress = 0;
  for (auto& [unused, pending] : pending_) pending.handled = false;
  finish_ = {};
}

void Survival::AddFinish(const EndingEvent& event) {
  finish_ = {event.id, event.line};
  if (event.is_orderly_only) {
    MarkVagueSurvived();
  } else {
    Release(event.rank, kStepsToSurvive);
  }
}

// Several signatures may see progress in one line.
void Survival::AddProgress(const EndingEvent& event) {
  if (event.line == last_progress_line_) return;
  if (++finish_.work_after > kWorkAfterFinish) finish_.event = 0;
  if (event.line != finish_.line) ++finish_.open_work;
  if (event.is_last_step) finish_.open_work = 0;
  last_progress_ = event.id;
  last_progress_line_ = event.line;
  ++progress_count_;
  works_ = true;
  Release(event.rank, 1);
}

// A line without a rank counts for all ranks; one with a rank counts for its
// own and for errors without a rank.
void Survival::Release(std::optional<int64_t> rank, int signs) {
  for (auto& [key, pending] : pending_) {
    if (rank && key && *rank != *key) continue;
    pending.progress += signs;
    if (pending.progress >= pending.needed) MarkPendingSurvived(&pending);
  }
}

void Survival::Handle(std::optional<int64_t> rank) {
  for (auto& [key, pending] : pending_)
    if (!rank || !key || *rank == *key) pending.handled = true;
}

void Survival::MarkPendingSurvived(Pending* pending) {
  for (const Error& error : pending->errors) survived_.push_back(error.event);
  pending->errors.clear();
}

// A request that could not be served ends no server.
void Survival::MarkVagueSurvived() {
  for (auto& [unused, pending] : pending_) {
    for (const Error& error : pending.errors) {
      if (!error.names_cause) survived_.push_back(error.event);
    }
    std::erase_if(pending.errors,
                  [](const Error& error) { return !error.names_cause; });
  }
}

}  // namespace inquest::facts
