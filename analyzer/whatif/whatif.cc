// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/whatif.h"

#include <algorithm>
#include <utility>

#include "analyzer/whatif/trials/judge.h"
#include "analyzer/whatif/trials/trial.h"
#include "base/parallel.h"

namespace inquest::whatif {

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
    const double factor = LargestBatch(*history_, job->setup);
    job->setup.scale = factor;
    NameBatch(factor, &job->change);
    if (factor <= 0) return;
  }
  Judge(*history_, job->setup, &job->change);
}

// The jobs are independent, and the history does not change.
void Trial::JudgeAll() {
  const size_t check = checked_ ? 0 : 1;
  checked_ = true;
  InParallel(jobs_.size() + check, [&](size_t i) {
    if (i < jobs_.size()) {
      RunJob(&jobs_[i]);
    } else {
      CheckModel();
    }
  });
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
  const Setup setup = AsRecorded();
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
  const Outcome fresh = Simulate(*history_, FreshSetup(), room);
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

void Trial::DecideHelp() {
  const auto& changes = answer_.changes;
  if (changes.front().survives.value_or(true)) return;
  const bool control = changes.size() > 1 && changes[1].family == "recorded";
  const int64_t least =
      control ? changes[1].margin.value_or(INT64_MIN) : INT64_MIN;
  for (Change& change : answer_.changes) {
    const bool possible = change.kind != ChangeKind::kRecorded &&
                          change.kind != ChangeKind::kComparison;
    const bool better =
        !change.afresh || change.margin.value_or(INT64_MIN) > least;
    change.helps = possible && better && change.survives.value_or(false);
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
