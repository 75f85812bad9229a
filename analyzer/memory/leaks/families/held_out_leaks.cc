// SPDX-License-Identifier: Apache-2.0
// Programs that leak; see held_out_families.h.
#include <algorithm>

#include "analyzer/memory/leaks/families/held_out_families.h"
#include "analyzer/memory/leaks/families/made_program.h"

namespace inquest::memory {
namespace {

constexpr int64_t kLeak = kFirstLeakingStack;
constexpr int64_t kBeside = kFirstHealthyStack + 10;

void Kept(MadeProgram* p, double mib) {
  p->Take(kLeak, mib);
}

Family Leaking(const char* name, const MakeProgram& make) {
  return {name, true, [make](Random* random, MadeRun* run) {
            run->leaking = 1;
            MadeProgram program(random, run);
            make(&program, random);
          }};
}

// A loss kept with its graph at every k-th step, as large as its batch.
void KeptLosses(MadeProgram* p, Random* random) {
  const int64_t k =
      WholeBetween(random, 1, std::min<int64_t>(50, p->steps() / 15));
  const double piece = Piece(random, double(p->steps()) / double(k));
  p->Run([&](int64_t step) {
    if (step % k == 0) Kept(p, piece * BatchFactor(random));
  });
}

// Epochs that end with validation, during which nothing is kept.
void ValidationPauses(MadeProgram* p, Random* random) {
  const int64_t epoch = WholeBetween(random, 8, p->steps() / 6);
  const auto pause = std::max<int64_t>(
      1, std::llround(double(epoch) * Between(random, 0.05, 0.3)));
  const double piece = Piece(random, double(p->steps()));
  p->Run([&](int64_t step) {
    if (step % epoch < epoch - pause) Kept(p, piece);
  });
}

// At the step's end the site also holds the current batch, of random size.
void UnderRandomBatches(MadeProgram* p, Random* random) {
  const double batch = LogBetween(random, 20, 500);
  const double piece = batch * Between(random, 0.7, 4) / double(p->steps());
  MadeBlock held = 0;
  p->Run([&](int64_t) {
    p->Give(&held);
    held = p->Take(kLeak, batch * BatchFactor(random));
    Kept(p, piece);
  });
}

// One site grows as much as another shrinks, so the device's total does not
// change.
void OppositeDirections(MadeProgram* p, Random* random) {
  const double piece = Piece(random, double(p->steps()));
  MadeBlocks others;
  for (int64_t i = 0; i < p->steps(); ++i)
    others.push_back(p->Take(kBeside, piece));
  p->Run([&](int64_t) {
    Kept(p, piece);
    p->Give(&others.back());
    others.pop_back();
  });
}

// An error path keeps what it was working on: rarely, and of any size.
void RareErrors(MadeProgram* p, Random* random) {
  const double times = LogBetween(random, 20, 200);
  const double piece = Piece(random, times);
  const double odds = times / double(p->steps());
  p->Run([&](int64_t) {
    if (!Chance(random, odds)) return;
    Kept(p, piece * std::pow(Between(random, 0.02, 1), -0.6));
  });
}

// A plan for each new shape, and new shapes never end.
void PlansForShapes(MadeProgram* p, Random* random) {
  const double odds = Between(random, 0.1, 0.9);
  const double piece = Piece(random, odds * double(p->steps()));
  p->Run([&](int64_t) {
    if (Chance(random, odds)) Kept(p, piece * Between(random, 0.3, 1.7));
  });
}

// Micro-steps accumulate gradients; the optimizer's step leaks.
void AccumulationThatKeeps(MadeProgram* p, Random* random) {
  const int64_t micro = WholeBetween(random, 2, 16);
  const double piece = Piece(random, double(p->steps()) / double(micro));
  const double gradient = LogBetween(random, 1, 100);
  MadeBlocks gradients;
  p->Run([&](int64_t step) {
    gradients.push_back(p->Take(kLeak, gradient));
    if ((step + 1) % micro != 0) return;
    for (MadeBlock& one : gradients) p->Give(&one);
    gradients.clear();
    Kept(p, piece);
  });
}

// Each epoch starts new workers; the buffers of the old ones are never freed.
void WorkersThatStay(MadeProgram* p, Random* random) {
  const int64_t epochs = WholeBetween(random, 12, 60);
  const int64_t epoch = std::max<int64_t>(2, p->steps() / epochs);
  const double piece = Piece(random, double(epochs));
  const int64_t workers = WholeBetween(random, 1, 8);
  p->Run([&](int64_t step) {
    if (step % epoch != 0) return;
    for (int64_t i = 0; i < workers; ++i) Kept(p, piece / double(workers));
  });
}

// A copy of the state for each checkpoint, part of which is never freed.
void CheckpointsThatStay(MadeProgram* p, Random* random) {
  const int64_t times = WholeBetween(random, 12, 80);
  const int64_t period = std::max<int64_t>(2, p->steps() / times);
  const double kept = Piece(random, double(times));
  const double copy = kept * Between(random, 2, 10);
  MadeBlock saved = 0;
  p->Run([&](int64_t step) {
    p->Give(&saved);  // written after the step's end
    if (step % period != period - 1) return;
    saved = p->Take(kLeak, copy);
    Kept(p, kept);
  });
}

// Outputs of every validation are kept for a report that is never written.
void KeptPredictions(MadeProgram* p, Random* random) {
  const int64_t epochs = WholeBetween(random, 12, 40);
  const int64_t epoch = std::max<int64_t>(4, p->steps() / epochs);
  const auto part = std::max<int64_t>(
      1, std::llround(double(epoch) * Between(random, 0.05, 0.4)));
  const double piece = Piece(random, double(epochs * part));
  p->Run([&](int64_t step) {
    if (step % epoch >= epoch - part) Kept(p, piece);
  });
}

// Sequences grow during the run, and so does what each step keeps.
void GrowingSequences(MadeProgram* p, Random* random) {
  const auto n = double(p->steps());
  const double piece = Piece(random, n);
  p->Run(
      [&](int64_t step) { Kept(p, piece * (0.3 + 1.4 * double(step) / n)); });
}

}  // namespace

std::vector<Family> HeldOutLeaks() {
  return {Leaking("kept losses", KeptLosses),
          Leaking("validation pauses", ValidationPauses),
          Leaking("under random batches", UnderRandomBatches),
          Leaking("opposite directions", OppositeDirections),
          Leaking("rare errors", RareErrors),
          Leaking("plans for shapes", PlansForShapes),
          Leaking("accumulation that keeps", AccumulationThatKeeps),
          Leaking("workers that stay", WorkersThatStay),
          Leaking("checkpoints that stay", CheckpointsThatStay),
          Leaking("kept predictions", KeptPredictions),
          Leaking("growing sequences", GrowingSequences)};
}

}  // namespace inquest::memory
