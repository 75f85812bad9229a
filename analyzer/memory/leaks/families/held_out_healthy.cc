// SPDX-License-Identifier: Apache-2.0
// Healthy programs; see held_out_families.h.
#include <algorithm>
#include <unordered_set>

#include "analyzer/memory/leaks/families/held_out_families.h"
#include "analyzer/memory/leaks/families/made_program.h"

namespace inquest::memory {
namespace {

constexpr int64_t kFine = kFirstHealthyStack + 10;

Family InOrder(const char* name, const MakeProgram& make) {
  return {name, false, [make](Random* random, MadeRun* run) {
            MadeProgram program(random, run);
            make(&program, random);
          }};
}

// Fills up and then replaces the oldest.
void RingBuffer(MadeProgram* p, Random* random) {
  const auto full =
      static_cast<size_t>(double(p->steps()) * LogBetween(random, 0.02, 0.75));
  const double piece = Piece(random, double(full + 1));
  std::deque<MadeBlock> ring;
  p->Run([&](int64_t) {
    ring.push_back(p->Take(kFine, piece));
    if (ring.size() <= full) return;
    p->Give(&ring.front());
    ring.pop_front();
  });
}

// Optimizer state at the first step of each layer, layers thawed one by one,
// then an average of the weights.
void LazyState(MadeProgram* p, Random* random) {
  const auto layers = WholeBetween(random, 2, 6);
  const double layer = LogBetween(random, 5, 500);
  std::vector<int64_t> at;
  for (int64_t i = 0; i < layers; ++i) {
    at.push_back(WholeBetween(random, 0, p->steps() * 2 / 3));
  }
  const int64_t average = WholeBetween(random, 0, p->steps() - 1);
  p->Run([&](int64_t step) {
    for (const int64_t one : at) {
      if (one == step) p->Take(kFine, 2 * layer);
    }
    if (step == average) p->Take(kFine + 1, layer * double(layers));
  });
}

// Realistic keys: few often, many once. Evicts the least recently used when it
// is full.
void SlowCache(MadeProgram* p, Random* random) {
  const auto keys = double(p->steps()) * LogBetween(random, 0.05, 1);
  const size_t room = size_t(std::max(4.0, keys * Between(random, 0.1, 0.5)));
  const double piece = Piece(random, double(room));
  std::map<int64_t, MadeBlock> cached;
  std::deque<int64_t> order;
  p->Run([&](int64_t) {
    for (int i = 0; i < 4; ++i) {
      // Zipf, by inverting its continuous form.
      const auto key = int64_t(std::pow(keys, Between(random, 0, 1)));
      std::erase(order, key);
      order.push_back(key);
      if (!cached.contains(key)) cached[key] = p->Take(kFine, piece);
      if (order.size() <= room) continue;
      p->Give(&cached[order.front()]);
      cached.erase(order.front());
      order.pop_front();
    }
  });
}

// The prefetched batch grows with the sequences, up to their full length.
void SequenceCurriculum(MadeProgram* p, Random* random) {
  const double full = double(p->steps()) * Between(random, 0.1, 0.75);
  const int64_t stages = WholeBetween(random, 4, 200);
  const double size = LogBetween(random, 30, 3000);
  MadeBlock held = 0;
  p->Run([&](int64_t step) {
    const double stage = std::floor(double(step) / full * double(stages));
    const double length = std::min(1.0, 0.1 + 0.9 * stage / double(stages));
    p->Give(&held);
    held = p->Take(kFine, size * length);
  });
}

void GradientAccumulation(MadeProgram* p, Random* random) {
  const int64_t micro = WholeBetween(random, 2, 64);
  const double size = LogBetween(random, 1, 300);
  MadeBlocks gradients;
  p->Run([&](int64_t step) {
    gradients.push_back(p->Take(kFine, size * BatchFactor(random)));
    if ((step + 1) % micro != 0) return;
    for (MadeBlock& one : gradients) p->Give(&one);
    gradients.clear();
  });
}

void CheckpointSaving(MadeProgram* p, Random* random) {
  const int64_t period = WholeBetween(random, 5, p->steps() / 3);
  const double size = LogBetween(random, 30, 4000);
  MadeBlock copy = 0;
  p->Run([&](int64_t step) {
    p->Give(&copy);
    if (step % period == period - 1) copy = p->Take(kFine, size);
  });
}

// New workers at each epoch, before the old ones have ended; their number
// varies.
void WorkersRestart(MadeProgram* p, Random* random) {
  const int64_t epoch = WholeBetween(random, 10, p->steps() / 2);
  const double size = LogBetween(random, 2, 100);
  MadeBlocks workers, old;
  p->Run([&](int64_t step) {
    for (MadeBlock& one : old) p->Give(&one);
    old.clear();
    if (step % epoch != 0) return;
    old.swap(workers);
    const int64_t count = WholeBetween(random, 4, 8);
    for (int64_t i = 0; i < count; ++i) workers.push_back(p->Take(kFine, size));
  });
}

// Outputs kept during an epoch, for its metrics; the run ends within one.
void EpochMetrics(MadeProgram* p, Random* random) {
  const auto epoch = std::max<int64_t>(
      4, std::llround(double(p->steps()) / Between(random, 1.6, 12)));
  const double piece = Piece(random, double(epoch));
  MadeBlocks outputs;
  p->Run([&](int64_t step) {
    outputs.push_back(p->Take(kFine, piece));
    if ((step + 1) % epoch != 0) return;
    for (MadeBlock& one : outputs) p->Give(&one);
    outputs.clear();
  });
}

// A buffer that only grows, to the longest sequence so far.
void GrowOnlyBuffer(MadeProgram* p, Random* random) {
  const double size = LogBetween(random, 10, 1000);
  const double spread = Between(random, 0.1, 0.6);
  std::lognormal_distribution<> length(0, spread);
  double most = 0;
  MadeBlock buffer = 0;
  p->Run([&](int64_t) {
    const double wanted = size * length(*random);
    if (wanted <= most) return;
    most = wanted;
    p->Give(&buffer);
    buffer = p->Take(kFine, most);
  });
}

// Rollouts grow token by token and are freed after their update.
void Rollouts(MadeProgram* p, Random* random) {
  const double piece = LogBetween(random, 1, 40);
  MadeBlocks tokens;
  int64_t left = 0;
  p->Run([&](int64_t) {
    if (left-- > 0) {
      tokens.push_back(p->Take(kFine, piece));
      return;
    }
    for (MadeBlock& one : tokens) p->Give(&one);
    tokens.clear();
    left = WholeBetween(random, 5, std::max<int64_t>(6, p->steps() / 8));
  });
}

// Graphs captured for each of a few shapes.
void GraphsForShapes(MadeProgram* p, Random* random) {
  const int64_t shapes = WholeBetween(random, 3, 40);
  const double size = LogBetween(random, 5, 300);
  std::unordered_set<int64_t> seen;
  p->Run([&](int64_t) {
    const int64_t shape = WholeBetween(random, 1, shapes);
    if (seen.insert(shape).second)
      p->Take(kFine, size * double(shape) / double(shapes));
  });
}

// New shapes that become rarer and rarer, each with its own plan.
void RareShapes(MadeProgram* p, Random* random) {
  const int64_t shapes = WholeBetween(random, 20, 80);
  const double skew = Between(random, 0.8, 2);
  const double size = LogBetween(random, 5, 200);
  std::vector<double> weights;
  for (int64_t i = 1; i <= shapes; ++i) {
    weights.push_back(std::pow(double(i), -skew));
  }
  std::discrete_distribution<int64_t> next(weights.begin(), weights.end());
  std::unordered_set<int64_t> seen;
  p->Run([&](int64_t) {
    if (seen.insert(next(*random)).second) p->Take(kFine, size);
  });
}

// A pool that keeps as many buffers as were ever used at once.
void PoolOfBuffers(MadeProgram* p, Random* random) {
  std::poisson_distribution<int64_t> wanted(LogBetween(random, 5, 200));
  const double size = LogBetween(random, 1, 50);
  int64_t most = 0;
  p->Run([&](int64_t) {
    for (const int64_t now = wanted(*random); most < now; ++most) {
      p->Take(kFine, size);
    }
  });
}

// Requests of random duration.
void Sessions(MadeProgram* p, Random* random) {
  const double rate = LogBetween(random, 0.02, 2);
  const double stay = LogBetween(random, 5, double(p->steps()) / 5);
  const double size = LogBetween(random, 2, 100);
  std::exponential_distribution<> lasts(1 / stay);
  std::multimap<int64_t, MadeBlock> leaves;
  std::poisson_distribution<int> come(rate);
  p->Run([&](int64_t step) {
    for (int i = come(*random); i > 0; --i) {
      leaves.emplace(step + 1 + int64_t(lasts(*random)), p->Take(kFine, size));
    }
    while (!leaves.empty() && leaves.begin()->first <= step) {
      p->Give(&leaves.begin()->second);
      leaves.erase(leaves.begin());
    }
  });
}

}  // namespace

std::vector<Family> HeldOutHealthy() {
  return {InOrder("ring buffer", RingBuffer),
          InOrder("lazy state", LazyState),
          InOrder("slow cache", SlowCache),
          InOrder("sequence curriculum", SequenceCurriculum),
          InOrder("gradient accumulation", GradientAccumulation),
          InOrder("checkpoint saving", CheckpointSaving),
          InOrder("workers restart", WorkersRestart),
          InOrder("epoch metrics", EpochMetrics),
          InOrder("grow-only buffer", GrowOnlyBuffer),
          InOrder("rollouts", Rollouts),
          InOrder("graphs for shapes", GraphsForShapes),
          InOrder("rare shapes", RareShapes),
          InOrder("pool of buffers", PoolOfBuffers),
          InOrder("sessions", Sessions)};
}

}  // namespace inquest::memory
