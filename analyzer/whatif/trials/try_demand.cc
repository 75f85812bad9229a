// SPDX-License-Identifier: Apache-2.0
// Changes of the program's demand and of the machine.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/whatif/trials/cards.h"
#include "analyzer/whatif/trials/judge.h"
#include "analyzer/whatif/trials/trial.h"
#include "base/units.h"

namespace inquest::whatif {

void Trial::AddBatch() {
  // Segments and regions do not grow with a batch as blocks do.
  if (!SeesBlocks()) return;
  if (history_->persistence.empty() || history_->allocations == 0) {
    answer_.untried.push_back(
        "another batch: the record has no steps, so lasting memory "
        "cannot be distinguished from that of a step");
    return;
  }
  Change change;
  change.kind = ChangeKind::kDemand;
  change.family = "batch";
  change.estimate = true;
  change.assumption =
      history_->persistence +
      ", with blocks of the same size; the rest grows with the batch";
  if (options_.batch) {
    Setup setup = FreshSetup();
    setup.scale = *options_.batch;
    NameBatch(*options_.batch, &change);
    AddJob(setup, change);
  }
  if (!history_->room.bytes) return;
  AddJob(FreshSetup(), change);
  jobs_.back().largest_batch = true;
}

void Trial::NameBatch(double factor, Change* change) {
  change->factor = factor;
  change->name = fmt::format("batch x {:.3g}", factor);
  change->setting =
      fmt::format("a batch of {:.3g} times its size, rounded down", factor);
}

void Trial::AddPrecision() {
  if (history_->persistence.empty() || history_->allocations == 0 ||
      !SeesBlocks()) {
    return;
  }
  Setup setup = FreshSetup();
  setup.scale = 0.5;
  Change change;
  change.kind = ChangeKind::kDemand;
  change.family = "precision";
  change.name = "mixed precision";
  change.setting = "torch.autocast(\"cuda\", dtype=torch.bfloat16)";
  change.estimate = true;
  change.assumption =
      "all memory of a step is 32-bit floats and is halved; weights, gradients "
      "and optimizer state do not change; autocast's copies of weights are not "
      "counted";
  AddJob(setup, change);
}

void Trial::AddDemand() {
  if (Wants("leak") && !history_->leaks.empty()) {
    Setup setup = FreshSetup();
    setup.hold_leaks = true;
    Change change;
    change.kind = ChangeKind::kDemand;
    change.family = "leak";
    change.name = "no leak";
    change.assumption = "leaking sites stay at their level of the first steps";
    std::string sites;
    for (const LeakingSite& leak : history_->leaks) {
      sites += (sites.empty() ? "" : ", ") + leak.name;
    }
    change.setting = "free what is allocated in " + sites;
    AddJob(setup, change);
  }
  if (Wants("batch")) AddBatch();
  if (Wants("precision")) AddPrecision();
}

void Trial::AddOtherProcess() {
  const Room& room = history_->room;
  if (!room.bytes || !Wants("other-process") || room.others <= 0) return;
  Setup setup = AsRecorded();
  setup.more_room = room.others;
  Change change;
  change.kind = ChangeKind::kDevice;
  change.family = "other-process";
  change.name = "no other process";
  change.setting = fmt::format("a device without the {} of other processes",
                               FormatBytes(room.others));
  AddJob(setup, change);
}

void Trial::AddLargerDevice() {
  const Room& room = history_->room;
  if (!room.bytes) {
    answer_.untried.push_back(
        "a larger device, and whether the run survives: the record does not "
        "have the device's memory; give it, as in --device-memory 24GiB");
    return;
  }
  const Change recorded = answer_.changes.front();
  if (!Wants("device") || recorded.survives.value_or(true) ||
      !recorded.needed) {
    return;
  }
  const int64_t taken =
      room.total ? std::max<int64_t>(0, *room.total - *room.bytes) : 0;
  Change change = recorded;
  change.kind = ChangeKind::kDevice;
  change.family = "device";
  change.helps = true;
  change.refused.reset();
  const int64_t whole = *recorded.needed + taken;
  change.name = "a device of " + FormatBytes(whole);
  const Card card = SmallestCard(whole);
  change.setting =
      card.name.empty() ? "" : "the smallest card of that size: " + card.name;
  if (taken == 0) change.assumption = "the context's memory is not counted";
  change.survives = true;
  change.peak_reserved = *recorded.needed;
  change.margin = card.name.empty() ? 0 : card.bytes - whole;
  answer_.changes.push_back(std::move(change));
}

}  // namespace inquest::whatif
