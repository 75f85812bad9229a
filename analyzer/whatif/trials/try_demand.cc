// SPDX-License-Identifier: Apache-2.0
// Changes of the program's demand and of the machine.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/whatif/trials/cards.h"
#include "analyzer/whatif/trials/judge.h"
#include "analyzer/whatif/trials/trial.h"
#include "base/units.h"

namespace inquest::whatif {
namespace {

// What activations shrink to under autocast. Measured between 0.59 (what grows
// with the batch) and 0.78 (what grows with its square) on one language model,
// and 0.74 on another's forward pass.
constexpr double kLeastMixed = 0.5;
constexpr double kMixed = 0.65;
constexpr double kMaxMixed = 0.9;

// " (8 GB card)": cards have less than they are sold as.
std::string SoldAs(const Card& card) {
  const size_t open = card.name.rfind('(');
  const size_t unit = card.name.find(" GB", open);
  if (open == std::string::npos || unit == std::string::npos) return {};
  return " " + card.name.substr(open, unit + 3 - open) + " card)";
}

}  // namespace

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
      (history_->uses.keeps_graph
           ? ", and so do gradients and what the optimizer computes with; "
             "activations grow with the batch"
           : "; the rest grows with the batch");
  // Where nothing says what fits there is no largest batch, but twice as much
  // says what a batch costs.
  const bool fits_known = history_->room.bytes && !history_->died_unmeasured();
  if (options_.batch || !fits_known) {
    const double factor = options_.batch.value_or(2);
    Setup setup = FreshSetup();
    setup.scale = factor;
    NameBatch(factor, &change);
    const double more = factor - 1;
    AddScaled(setup, change, 1 + more * (more > 0 ? kLeastGrowth : kMaxGrowth),
              1 + more * (more > 0 ? kMaxGrowth : kLeastGrowth));
  }
  if (!fits_known) return;
  AddJob(FreshSetup(), change);
  jobs_.back().largest_batch = true;
}

void Trial::AddScaled(const Setup& setup, const Change& change, double least,
                      double most) {
  AddJob(setup, change);
  jobs_.back().scales = {std::max(0.0, least), most};
}

void Trial::NameBatch(double factor, Change* change) {
  change->factor = factor;
  change->name = fmt::format("batch x {:.3g}", factor);
  change->setting =
      fmt::format("a batch of {:.3g} times its size, rounded down", factor);
}

// Autocast keeps weights in 32 bits and copies them to 16; where a graph is
// kept, all copies live until the backward pass. Of the activations, outputs of
// matrix products are halved, and sums, norms and losses are not.
void Trial::AddPrecision() {
  const BlockUses& uses = history_->uses;
  if (history_->persistence.empty() || history_->allocations == 0 ||
      !history_->torch || !SeesBlocks() || uses.growing_peak == 0) {
    return;
  }
  if (uses.mixed) {
    answer_.untried.push_back(
        "mixed precision: the record has a copy of half the size for each "
        "weight, so it seems to be in use");
    return;
  }
  const double copies = 0.5 * static_cast<double>(uses.weights) /
                        static_cast<double>(uses.growing_peak);
  Setup setup = FreshSetup();
  setup.scale = kMixed + (uses.keeps_graph ? copies : 0);
  Change change;
  change.kind = ChangeKind::kDemand;
  change.family = "precision";
  change.name = "mixed precision";
  change.setting = "torch.autocast(\"cuda\", dtype=torch.bfloat16)";
  change.estimate = true;
  change.assumption = fmt::format(
      "computed in 32-bit floats so far; {} of weights stay and {} of copies "
      "are added{}; activations shrink to between half and nine tenths",
      FormatBytes(uses.weights),
      FormatBytes(uses.keeps_graph ? uses.weights / 2 : 0),
      uses.keeps_graph ? "" : " (half the weights, if autocast caches them)");
  AddScaled(setup, change, kLeastMixed + (uses.keeps_graph ? 0.7 * copies : 0),
            kMaxMixed + copies);
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
  if (!room.bytes || history_->died_unmeasured()) return;
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
  const Card card = SmallestCard(whole);
  // Where a leak takes what is left, only a whole card says how long that
  // lasts.
  const bool leaks = !history_->leaks.empty() && !card.name.empty();
  change.name = "a device of " + FormatBytes(leaks ? card.bytes : whole);
  if (leaks) change.name += SoldAs(card);
  change.setting =
      card.name.empty() ? "" : "the smallest card of that size: " + card.name;
  if (taken == 0) change.assumption = "the context's memory is not counted";
  change.survives = true;
  const Outcome outcome = Simulate(*history_, AsRecorded(), *recorded.needed);
  change.peak_reserved = outcome.totals.peak_reserved;
  change.peak_allocated = outcome.totals.peak_allocated;
  change.margin = leaks ? card.bytes - whole : 0;
  answer_.changes.push_back(std::move(change));
}

}  // namespace inquest::whatif
