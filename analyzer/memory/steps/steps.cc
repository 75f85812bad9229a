// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/steps/steps.h"

#include <algorithm>
#include <cmath>

#include "base/capped.h"
#include "trace/store/event_rows.h"

namespace inquest::memory {
namespace {

constexpr int64_t kEventsForRhythm[] = {240'000, 2'000'000};
constexpr const char* kFoundName = "(repeating allocations)";

}  // namespace

Status Steps::Read(Database* db, const std::string& prefix,
                   std::optional<int64_t> folded, KeptEvents* events) {
  ASSIGN_OR_RETURN(const Ranges ranges,
                   ReadRanges(db, prefix, folded.has_value()));
  const StepChoice choice = ChooseSteps(ranges.named);
  if (!choice.certain) {
    RETURN_IF_ERROR(FindRhythm(events, folded.value_or(0)));
    if (rhythm_) return Status::Ok();
  }
  UseRanges(ranges, choice);
  return Status::Ok();
}

// A step that is known by its end began with the end of the one before; when
// the first one began is unknown, so its own range stands for it.
void Steps::UseRanges(const Ranges& ranges, const StepChoice& choice) {
  std::optional<int64_t> last_end;
  for (const size_t i : choice.ranges) {
    const NamedRange& range = ranges.named[i];
    if (range.end && !ranges.live_bytes[i]) {
      ends_.push_back({*range.end, steps_.size()});
    }
    int64_t begin = range.begin;
    if (choice.are_ends && last_end) begin = std::min(begin, *last_end);
    last_end = range.end;
    steps_.push_back({range.name, begin, range.end, ranges.live_bytes[i]});
  }
  std::stable_sort(ends_.begin(), ends_.end(),
                   [](const End& a, const End& b) { return a.time < b.time; });
  if (choice.ranges.empty()) return;
  if (choice.are_ends) {
    judged_ = {Judgement::kSteps, "an optimizer's step ends each"};
  } else if (choice.certain) {
    judged_ = {Judgement::kSteps, "the program named them so"};
  } else {
    judged_ = {Judgement::kUnknown, "their name does not say so"};
  }
  candidates_.push_back(
      {ranges.named[choice.ranges.front()].name, "nvtx", {}, judged_});
}

// Differences and offsets of untrusted times must not overflow.
static int64_t WithinTime(int64_t time) {
  return std::clamp(time, -trace::kMaxEventTime, trace::kMaxEventTime);
}

Expected<Steps::Ranges> Steps::ReadRanges(Database* db,
                                          const std::string& prefix,
                                          bool folded) {
  // A join, because all rows are wanted.
  const std::string live = folded ? "live_bytes" : "NULL";
  const std::string join =
      folded ? " LEFT JOIN " + prefix + "checkpoint_step ON step = id" : "";
  ASSIGN_OR_RETURN(
      Statement row,
      db->Prepare("SELECT name, begin_ns, end_ns, thread, " + live + " FROM " +
                  prefix + "step" + join + " ORDER BY begin_ns, id"));
  Ranges ranges;
  NamedRange range;
  std::optional<int64_t> live_bytes;
  while (row.Next(&range.name, &range.begin, &range.end, &range.thread,
                  &live_bytes)) {
    range.begin = WithinTime(range.begin);
    if (range.end) range.end = WithinTime(*range.end);
    ranges.named.push_back(range);
    ranges.live_bytes.push_back(live_bytes);
  }
  RETURN_IF_ERROR(row.status());
  return ranges;
}

// Parts of a long run are enough, unless a step is longer than they are; then
// longer parts are tried.
Status Steps::FindRhythm(KeptEvents* events, int64_t after) {
  for (const int64_t most : kEventsForRhythm) {
    RhythmFinder finder;
    ASSIGN_OR_RETURN(
        const bool all,
        events->ForSome(after, most,
                        [&](const MemoryEvent& event) { finder.Add(event); }));
    RETURN_IF_ERROR(TryRhythms(events, after, &finder));
    if (rhythm_ || all) break;
  }
  return Status::Ok();
}

Status Steps::TryRhythms(KeptEvents* events, int64_t after,
                         RhythmFinder* finder) {
  const VisitEvents visit = [&](int64_t most, const auto& add) {
    return events->ForSome(after, most, add).status();
  };
  ASSIGN_OR_RETURN(const std::vector<JudgedRhythm> levels,
                   JudgeLevels(finder, frames_, visit));
  for (const auto& [rhythm, judgement] : levels) {
    candidates_.push_back(
        {kFoundName, "allocations", rhythm.period, judgement});
    if (judgement.rejected()) continue;
    rhythm_ = rhythm;
    judged_ = judgement;
  }
  return Status::Ok();
}

void Steps::Before(const MemoryEvent& event) {
  if (rhythm_) {
    Beat(event);
  } else {
    EndRangesBefore(event.time);
  }
}

void Steps::EndRangesBefore(int64_t time) {
  for (; ended_ < ends_.size(); ++ended_) {
    const End& end = ends_[ended_];
    if (end.time > time) return;
    steps_[end.step].live_bytes = replayed_.live_bytes();
    replayed_.end_step(static_cast<int64_t>(end.step));
  }
}

// The length of the open step so far, in periods.
double Steps::Periods() const {
  return static_cast<double>(allocations_ - *open_) / rhythm_->period;
}

void Steps::Beat(const MemoryEvent& event) {
  if (!RhythmEvents::IsAllocation(event)) return;
  const RhythmEvents::Keys keys = keys_.Next(event);
  const double tolerance = RhythmLimits().period_tolerance;
  if (std::find(keys.begin(), keys.end(), rhythm_->anchor) != keys.end()) {
    if (open_ && Periods() >= 1 - tolerance) {
      EndFound(event.time, replayed_.live_bytes());
    }
    open_ = allocations_;
    open_time_ = event.time;
    whole_time_ = 0;
  } else if (open_ && Periods() > 1 + tolerance) {
    EndFound(whole_time_, whole_live_);
  } else if (open_ && whole_time_ == 0 && Periods() >= 1) {
    whole_time_ = event.time;
    whole_live_ = replayed_.live_bytes();
  }
  ++allocations_;
  last_time_ = event.time;
}

void Steps::EndFound(int64_t time, int64_t live_bytes) {
  const auto number = static_cast<int64_t>(steps_.size());
  steps_.push_back({kFoundName, open_time_, time, live_bytes});
  replayed_.end_step(number);
  open_.reset();
}

// No step follows the last one, so its length decides whether it was complete.
// What it held at its end is unknown: an ending program may free everything.
void Steps::Finish() {
  if (!rhythm_) return EndRangesBefore(INT64_MAX);
  if (!open_) return;
  if (whole_time_ != 0) return EndFound(whole_time_, whole_live_);
  std::optional<int64_t> end;
  if (Periods() >= 1) end = last_time_;
  steps_.push_back({kFoundName, open_time_, end, {}});
}

std::vector<int64_t> Steps::Ends() const {
  std::vector<int64_t> ends;
  for (const Step& step : steps_) {
    if (step.end) ends.push_back(*step.end);
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

bool Steps::Covers(int64_t time) const {
  return std::any_of(steps_.begin(), steps_.end(), [&](const Step& step) {
    return step.begin <= time && step.end && time <= *step.end;
  });
}

int64_t Steps::UsualLength() const {
  std::vector<int64_t> lengths;
  for (const Step& step : steps_) {
    if (step.end) lengths.push_back(*step.end - step.begin);
  }
  if (lengths.empty()) return 0;
  const auto middle =
      lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

Status Steps::Write(facts::Store* store, int process, int64_t offset) const {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("INSERT INTO store_step VALUES (?, ?, ?, ?, ?, ?, ?, "
                          "?)"));
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    std::optional<int64_t> end = step.end;
    if (end) *end = AddCapped(*end, offset);
    RETURN_IF_ERROR(row.Run(
        process, i, step.name, AddCapped(step.begin, offset), end,
        step.live_bytes, rhythm_ ? "allocations" : "nvtx", Word(judged_.kind)));
  }
  return WriteCandidates(store, process);
}

Status Steps::WriteCandidates(facts::Store* store, int process) const {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "INSERT INTO store_step_candidate VALUES (?, ?, ?, ?, ?, ?)"));
  for (const Candidate& one : candidates_) {
    RETURN_IF_ERROR(row.Run(process, one.name, one.found_by, one.period,
                            Word(one.judgement.kind), one.judgement.why));
  }
  return Status::Ok();
}

}  // namespace inquest::memory
