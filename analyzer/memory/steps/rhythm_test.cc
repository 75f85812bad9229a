// SPDX-License-Identifier: Apache-2.0
// Streams of allocations with a known rhythm, and streams with none.
#include "analyzer/memory/steps/rhythm.h"

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "tests/catch_compat.h"
#include "trace/records/event.h"

namespace inquest::memory {
namespace {

constexpr int kLayers = 12;

class Calls {
 public:
  uint64_t Allocate(int64_t stack, int64_t bytes) {
    MemoryEvent event;
    event.op = static_cast<int>(trace::MemoryOp::kAlloc);
    event.device = 0;
    event.stack = stack;
    event.bytes = bytes;
    event.address = next_ += 0x1000;
    finder_.Add(event);
    keys_.push_back(events_.Next(event));
    return event.address;
  }
  void Free(uint64_t address) {
    MemoryEvent event;
    event.op = static_cast<int>(trace::MemoryOp::kFree);
    event.device = 0;
    event.address = address;
    finder_.Add(event);
  }
  void FreeAll(std::vector<uint64_t>* blocks) {
    for (const uint64_t block : *blocks) Free(block);
    blocks->clear();
  }
  std::optional<Rhythm> Find() const {
    RhythmFinder finder = finder_;
    return finder.Find();
  }
  // Which allocations begin a step, by number.
  std::vector<int64_t> Beginnings(uint64_t anchor) const {
    std::vector<int64_t> found;
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (std::find(keys_[i].begin(), keys_[i].end(), anchor) !=
          keys_[i].end()) {
        found.push_back(static_cast<int64_t>(i));
      }
    }
    return found;
  }

 private:
  RhythmFinder finder_;
  uint64_t next_ = 0;
  RhythmEvents events_;
  std::vector<RhythmEvents::Keys> keys_;
};

struct Shape {
  std::function<int64_t(int64_t)> size = [](int64_t bytes) { return bytes; };
  bool stacks = true;
  int64_t kept = 0;  // bytes that a step forgets to free
};

// Input, equal layers forward and backward with two allocations each, loss,
// optimizer.
constexpr double kStepLength = 3 + 4 * kLayers;
constexpr int64_t kInput = 1;
constexpr int64_t kInputBytes = 1 << 20;

void Train(Calls* to, const Shape& shape) {
  const auto get = [&](int64_t stack, int64_t bytes) {
    return to->Allocate(shape.stacks ? stack : 0, shape.size(bytes));
  };
  std::vector<uint64_t> activations{get(kInput, kInputBytes)};
  for (int layer = 0; layer < kLayers; ++layer) {
    activations.push_back(get(2, 4 << 20));
    to->Free(get(3, 64 << 10));
  }
  activations.push_back(get(4, 512));
  for (int layer = 0; layer < kLayers; ++layer) {
    to->Free(get(5, 2 << 20));
    to->Free(get(6, 96 << 10));
    to->Free(activations.back());
    activations.pop_back();
  }
  to->Free(get(7, 8 << 20));
  to->FreeAll(&activations);
  if (shape.kept > 0) get(4, shape.kept);
}

void Evaluate(Calls* to, int batches) {
  for (int i = 0; i < batches; ++i) {
    to->Free(to->Allocate(21, 1 << 20));
    for (int layer = 0; layer < kLayers; ++layer) {
      to->Free(to->Allocate(22, 4 << 20));
    }
  }
}

void LoadModel(Calls* to, int layers) {
  for (int layer = 0; layer < layers; ++layer) {
    for (int64_t part = 0; part < 6; ++part) {
      to->Allocate(30 + part, (part + 1) << 20);
    }
  }
}

void CheckSteps(const Calls& stream) {
  const auto rhythm = stream.Find();
  REQUIRE(rhythm);
  CHECK(rhythm->period > 0.95 * kStepLength);
  CHECK(rhythm->period < 1.05 * kStepLength);
}

TEST_CASE("steps of equal layers are found instead of the layers") {
  Calls stream;
  for (int step = 0; step < 50; ++step) Train(&stream, {});
  const auto rhythm = stream.Find();
  REQUIRE(rhythm);
  CHECK(rhythm->period == kStepLength);
  // They begin with the input, when nothing is held.
  const auto beginnings = stream.Beginnings(rhythm->anchor);
  REQUIRE(beginnings.size() == 50);
  for (const int64_t at : beginnings) {
    CHECK(at % static_cast<int64_t>(kStepLength) == 0);
  }
}

TEST_CASE("a step that consists only of layers") {
  Calls stream;
  for (int step = 0; step < 50; ++step) {
    std::vector<uint64_t> activations;
    for (int i = 0; i < 4; ++i) activations.push_back(stream.Allocate(1, 9000));
    for (int i = 0; i < 4; ++i) stream.Free(stream.Allocate(2, 500));
    stream.FreeAll(&activations);
  }
  const auto rhythm = stream.Find();
  REQUIRE(rhythm);
  CHECK(rhythm->period == 8);
}

TEST_CASE("loading a model and a long warm-up before the steps") {
  Calls stream;
  LoadModel(&stream, 24);
  std::mt19937 random(3);
  for (int i = 0; i < 400; ++i) {
    stream.Free(stream.Allocate(40 + static_cast<int64_t>(random() % 7),
                                static_cast<int64_t>(random() % 100000)));
  }
  for (int step = 0; step < 40; ++step) Train(&stream, {});
  CheckSteps(stream);
}

TEST_CASE("sizes that differ from step to step") {
  std::mt19937 random(5);
  Shape shape;
  shape.size = [&](int64_t bytes) {
    return bytes + static_cast<int64_t>(random() % 5000) * 512;
  };
  Calls stream;
  for (int step = 0; step < 60; ++step) Train(&stream, shape);
  CheckSteps(stream);
}

TEST_CASE("a few allocations more in some places of some steps") {
  std::mt19937 random(9);
  Calls stream;
  for (int step = 0; step < 100; ++step) {
    Train(&stream, {});
    for (unsigned i = random() % 4; i > 0; --i) {
      stream.Free(stream.Allocate(50 + static_cast<int64_t>(random() % 3),
                                  static_cast<int64_t>(random() % 9000)));
    }
  }
  const auto rhythm = stream.Find();
  REQUIRE(rhythm);
  CHECK(rhythm->period > kStepLength);
  CHECK(rhythm->period < kStepLength + 4);
}

TEST_CASE("evaluation between the steps is not part of them") {
  Calls stream;
  for (int step = 0; step < 100; ++step) {
    Train(&stream, {});
    if (step % 10 == 9) Evaluate(&stream, 8);
  }
  CheckSteps(stream);
}

TEST_CASE("epochs do not hide the steps in them") {
  Calls stream;
  for (int epoch = 0; epoch < 20; ++epoch) {
    for (int step = 0; step < 12; ++step) Train(&stream, {});
    stream.Free(stream.Allocate(60, 32 << 20));
  }
  CheckSteps(stream);
}

TEST_CASE("a step that leaks is a step") {
  Calls stream;
  Shape shape;
  shape.kept = 4 << 20;
  for (int step = 0; step < 50; ++step) Train(&stream, shape);
  const auto rhythm = stream.Find();
  REQUIRE(rhythm);
  CHECK(rhythm->period == kStepLength + 1);
}

TEST_CASE("without stacks the sizes are used") {
  Calls stream;
  Shape shape;
  shape.stacks = false;
  for (int step = 0; step < 50; ++step) Train(&stream, shape);
  CheckSteps(stream);
}

TEST_CASE("too few steps are not a rhythm") {
  Calls stream;
  for (int step = 0; step < 6; ++step) Train(&stream, {});
  CHECK_FALSE(stream.Find());
}

TEST_CASE("a model of equal layers, kept, has no steps") {
  Calls stream;
  LoadModel(&stream, 96);
  CHECK_FALSE(stream.Find());
}

TEST_CASE("a pool that grows by equal pieces has no steps") {
  Calls stream;
  for (int i = 0; i < 500; ++i) stream.Allocate(1, 20 << 20);
  CHECK_FALSE(stream.Find());
}

TEST_CASE("chance has no rhythm") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    Calls stream;
    std::vector<uint64_t> live;
    for (int i = 0; i < 20000; ++i) {
      live.push_back(
          stream.Allocate(1 + static_cast<int64_t>(random() % 40),
                          512 << static_cast<int64_t>(random() % 12)));
      if (live.size() < 100) continue;
      const size_t at = random() % live.size();
      stream.Free(live[at]);
      live[at] = live.back();
      live.pop_back();
    }
    CHECK_FALSE(stream.Find());
  }
}

TEST_CASE("more different sizes than are kept do not hide the steps") {
  Calls stream;
  int64_t sizes = 0;
  for (int step = 0; step < 5000; ++step) {
    Train(&stream, {});
    for (int i = 0; i < 30; ++i) stream.Free(stream.Allocate(8, ++sizes));
  }
  REQUIRE(sizes > int64_t{RhythmFinder::kMaxEvents});
  const auto rhythm = stream.Find();
  REQUIRE(rhythm);
  CHECK(rhythm->period == kStepLength + 30);
}

TEST_CASE("an empty stream") {
  CHECK_FALSE(Calls().Find());
}

}  // namespace
}  // namespace inquest::memory
