// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/whatif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyzer/whatif/trials/judge.h"
#include "analyzer/whatif/trials/trial.h"
#include "base/parallel.h"
#include "base/units.h"

namespace inquest::whatif {
namespace {

double Off(int64_t model, int64_t truth) {
  if (truth == 0) return model == 0 ? 0 : 1;
  return std::abs(static_cast<double>(model - truth)) /
         static_cast<double>(truth);
}

}  // namespace

// `--device-memory` is the size of the whole device; memory that was not
// available to these requests in the record is still not available.
void Trial::SetDevice() {
  if (!options_.device_memory) return;
  Room& room = history_->room;
  const int64_t taken = room.total && room.bytes
                            ? std::max<int64_t>(0, *room.total - *room.bytes)
                            : 0;
  const int64_t has = std::min(*options_.device_memory, kBoundless);
  room.bytes = std::max<int64_t>(0, has - taken);
  room.total = options_.device_memory;
  room.source = taken > 0
                    ? "--device-memory, less what these requests could not use"
                    : "--device-memory; the context's memory is unknown";
}

Setup Trial::AsRecorded() const {
  Setup setup = FreshSetup();
  setup.place = !history_->segments.empty();
  return setup;
}

Setup Trial::FreshSetup() const {
  Setup setup;
  setup.model = history_->level == Level::kDriver  ? Model::kCudaMalloc
                : history_->settings.async_backend ? Model::kAsync
                                                   : Model::kTorch;
  setup.torch = history_->settings;
  return setup;
}

void Trial::RunJob(Job* job) const {
  if (job->largest_batch) {
    // The largest that fits even if memory grows faster, or shrinks less.
    const double fits = LargestBatch(*history_, job->setup);
    const double factor =
        fits > 1 ? 1 + (fits - 1) / kMaxGrowth : 1 - (1 - fits) / kLeastGrowth;
    job->setup.scale = factor;
    NameBatch(factor, &job->change);
    if (factor <= 0) return;
    const double other = factor > 1 ? 1 + (factor - 1) * kLeastGrowth
                                    : 1 - (1 - factor) * kMaxGrowth;
    job->scales = {std::max(0.0, std::min(other, fits)), fits};
  }
  Judge(*history_, job->setup, &job->change);
  if (!job->scales) return;
  AddRange(job->setup, job->scales->first, job->scales->second, &job->change);
}

// What an estimate gives with its least and its most favourable scale.
void Trial::AddRange(const Setup& setup, double least, double most,
                     Change* change) const {
  const auto with = [&](double scale, int64_t room) {
    Setup scaled = setup;
    scaled.scale = scale;
    return Simulate(*history_, scaled, room);
  };
  if (change->survives) {
    const int64_t room = RoomOf(*history_);
    const bool at_most = with(most, room).ok();
    change->surely = *change->survives && at_most;
    change->possibly = *change->survives || at_most || with(least, room).ok();
  }
  const Totals low = with(least, kBoundless).totals;
  const Totals high = with(most, kBoundless).totals;
  change->least_reserved = std::min(low.peak_reserved, change->peak_reserved);
  change->most_reserved = std::max(high.peak_reserved, change->peak_reserved);
  change->least_allocated =
      std::min(low.peak_allocated, change->peak_allocated);
  change->most_allocated =
      std::max(high.peak_allocated, change->peak_allocated);
}

// The jobs are independent, and the history does not change.
void Trial::JudgeAll() {
  InParallel(jobs_.size(), [&](size_t i) { RunJob(&jobs_[i]); });
  for (Job& job : jobs_) {
    if (job.change.factor.value_or(1) > 0) {
      answer_.changes.push_back(std::move(job.change));
    } else {
      answer_.untried.push_back("another batch: even a 64th is too large");
    }
  }
  jobs_.clear();
}

void Trial::CheckModel() {
  Check& check = answer_.check;
  Setup setup = AsRecorded();
  Setup from_scratch = FreshSetup();
  // With room of unknown size the model would grant it, which the record did
  // not.
  setup.skip_refused = from_scratch.skip_refused = !history_->room.bytes;
  const int64_t room = RoomOf(*history_);
  const auto count = [](const Simulation& run) {
    int64_t segments = 0;
    run.allocator->VisitSegments([&](uint64_t, int64_t) { ++segments; });
    return segments;
  };
  Simulation run;
  const Outcome placed = Simulate(*history_, setup, room, &run);
  check.peak_reserved = placed.totals.peak_reserved;
  check.peak_segments = placed.totals.peak_segments;
  if (placed.ok() || history_->died) {
    check.reserved_at_end = placed.totals.reserved;
    check.segments_at_end = count(run);
    check.largest_free_at_end = run.allocator->LargestFree();
  }
  if (history_->died && history_->room.bytes) {
    check.refuses_the_same =
        placed.refused && placed.refused->request == *history_->died;
  }
  if (!setup.place) return;
  const Outcome fresh = Simulate(*history_, from_scratch, room);
  check.fresh_reserved_at_end = fresh.totals.reserved;
  check.fresh_peak_reserved = fresh.totals.peak_reserved;
}

void Trial::AddRecorded() {
  Change change;
  change.kind = ChangeKind::kRecorded;
  change.family = "recorded";
  change.name = "as recorded";
  AddJob(AsRecorded(), change);
  if (!AsRecorded().place) return;
  change.kind = ChangeKind::kComparison;
  change.name = "as recorded, from a fresh start";
  AddJob(FreshSetup(), change);
}

// In which respect the recorded settings' model fails to follow this record;
// empty: it follows.
std::string Trial::WhyWithheld() const {
  const Check& check = answer_.check;
  const Recorded& recorded = history_->recorded;
  if (!check.refuses_the_same.value_or(true)) {
    return "the model grants the request that the run died of";
  }
  if (history_->level == Level::kDriver) return {};
  const auto off = [](const std::optional<int64_t>& model,
                      const std::optional<int64_t>& truth) {
    return model && truth ? Off(*model, *truth) : 0;
  };
  const double most =
      std::max(off(check.peak_reserved, recorded.peak_reserved),
               off(check.reserved_at_end, recorded.reserved_at_end));
  if (most > kMaxOff) {
    return fmt::format("the model is off by {:.1f} %", 100 * most);
  }
  if (recorded.peak_reserved || check.refuses_the_same) return {};
  return "the record does not say what the allocator reserved, so nothing "
         "shows whether the model is right";
}

// What rests on a model that does not agree with the record is not shown.
void Trial::Withhold() {
  if (const std::string why = WhyWithheld(); !why.empty()) {
    answer_.withheld = true;
    answer_.changes.clear();
    answer_.untried.insert(answer_.untried.begin(), "all changes: " + why);
    return;
  }
  const auto& fresh = answer_.check.fresh_peak_reserved;
  const auto& truth = history_->recorded.peak_reserved;
  if (!fresh || !truth || Off(*fresh, *truth) <= kMaxOff) return;
  const size_t all = answer_.changes.size();
  std::erase_if(answer_.changes,
                [](const Change& change) { return change.afresh; });
  answer_.untried.push_back(fmt::format(
      "{} changes for which the blocks from before the record would be "
      "allocated again: begun so, the model is off by {:.1f} %",
      all - answer_.changes.size(), 100 * Off(*fresh, *truth)));
}

// A leak takes what a change leaves. Not in a run that was refused nothing:
// there the question is whether what it requested is granted.
void Trial::PutOff() {
  if (!history_->died) return;
  int64_t rate = 0;
  for (const LeakingSite& leak : history_->leaks) {
    rate += std::max<int64_t>(0, leak.bytes_per_step);
  }
  if (rate == 0) return;
  for (Change& change : answer_.changes) {
    if (change.family == "leak" || change.kind == ChangeKind::kRecorded) {
      continue;
    }
    change.possibly.reset();
    if (!change.survives.value_or(false)) continue;
    change.more_steps = std::max<int64_t>(0, change.margin.value_or(0)) / rate;
    change.survives = false;
    if (change.surely) change.surely = false;
  }
  // A batch or a device of just the size that is needed shows nothing then.
  std::erase_if(answer_.changes, [&](const Change& change) {
    const bool fitted = change.family == "device" ||
                        (change.family == "batch" &&
                         change.factor != options_.batch.value_or(0));
    return fitted && change.more_steps == 0;
  });
}

void Trial::SayWhatIsUnknown() {
  if (answer_.withheld) return;
  const Room& room = history_->room;
  std::vector<std::string>& untried = answer_.untried;
  if (history_->died_unmeasured()) {
    for (Change& change : answer_.changes) {
      change.survives.reset();
      change.margin.reset();
      change.surely.reset();
      change.possibly.reset();
      change.more_steps.reset();
    }
    untried.push_back(
        "whether the run survives, and a larger device: the record does not "
        "have the size of the request that it died of");
  } else if (!room.bytes && room.total) {
    untried.push_back(fmt::format(
        "a larger device, and whether the run survives: the device has {0}, "
        "but the record does not say how much of it these requests could use; "
        "--device-memory {1}MiB assumes all of it",
        FormatBytes(*room.total), *room.total >> 20));
  } else if (!room.bytes) {
    untried.push_back(
        "a larger device, and whether the run survives: the record does not "
        "have the device's memory; give it, as in --device-memory 24GiB");
  }
}

void Trial::DecideHelp() {
  const auto& changes = answer_.changes;
  if (changes.empty() || changes.front().survives.value_or(true)) return;
  const bool control = changes.size() > 1 && changes[1].family == "recorded";
  const int64_t least =
      control ? changes[1].margin.value_or(INT64_MIN) : INT64_MIN;
  for (Change& change : answer_.changes) {
    const bool possible = change.kind != ChangeKind::kRecorded &&
                          change.kind != ChangeKind::kComparison;
    const bool better =
        !change.afresh || change.margin.value_or(INT64_MIN) > least;
    // An estimate must hold with its least favourable assumption.
    change.helps = possible && better && change.surely.value_or(true) &&
                   change.survives.value_or(false) && !change.more_steps;
  }
}

const std::vector<std::string>& Families() {
  static const std::vector<std::string> kFamilies = {
      "torch", "async",     "bfc",           "pool",  "leak",
      "batch", "precision", "other-process", "device"};
  return kFamilies;
}

Expected<Answer> TryChanges(History* history, const Options& options) {
  return Trial(history, options).Run();
}

}  // namespace inquest::whatif
