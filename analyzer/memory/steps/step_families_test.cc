// SPDX-License-Identifier: Apache-2.0
// Families of made-up programs of which it is known whether, and with which
// period, they have training steps: training in several styles, forward passes,
// generation, autotuners, loaders, optimizers that go over their parameters.
// Measures how often what repeats is judged right, left open or judged wrong.
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analyzer/memory/steps/rhythm_judge.h"
#include "base/units.h"
#include "tests/catch_compat.h"
#include "trace/records/event.h"

namespace inquest::memory {
namespace {

using Names = std::vector<std::string>;  // outermost first

// "file:function", or a function alone.
Frame MakeFrame(const std::string& name) {
  const size_t colon = name.find(':');
  if (colon == name.npos) return {name, "", 0, ""};
  return {name.substr(colon + 1), name.substr(0, colon), 0, "python"};
}

class Stepping {
 public:
  Stepping(uint64_t seed, bool stacks) : dice_(seed), stacks_(stacks) {}

  uint64_t Get(int64_t bytes) {
    MemoryEvent event;
    event.op = static_cast<int>(trace::MemoryOp::kAlloc);
    event.kind = static_cast<int>(trace::MemoryKind::kFramework);
    event.device = 0;
    event.stack = stacks_ ? StackOf(calls_) : 0;
    event.bytes = bytes;
    event.address = next_ += 512;
    events_.push_back(event);
    return event.address;
  }
  void Free(uint64_t address) {
    MemoryEvent event;
    event.op = static_cast<int>(trace::MemoryOp::kFree);
    event.kind = static_cast<int>(trace::MemoryKind::kFramework);
    event.device = 0;
    event.address = address;
    events_.push_back(event);
  }
  void Use(int64_t bytes) { Free(Get(bytes)); }
  void FreeAll(std::vector<uint64_t>* blocks) {
    for (const uint64_t one : *blocks) Free(one);
    blocks->clear();
  }
  template <typename Body>
  void Call(const Names& names, Body body) {
    for (const std::string& one : names) calls_.push_back(one);
    body();
    calls_.resize(calls_.size() - names.size());
  }
  void Line(const std::string& name, int64_t bytes) {
    Call({name}, [&] { Use(bytes); });
  }
  uint64_t Keep(const std::string& name, int64_t bytes) {
    uint64_t address = 0;
    Call({name}, [&] { address = Get(bytes); });
    return address;
  }
  int64_t Any(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(dice_() %
                                      static_cast<uint64_t>(high - low + 1));
  }
  int64_t allocations() const {
    return std::count_if(events_.begin(), events_.end(),
                         RhythmEvents::IsAllocation);
  }

  std::vector<JudgedRhythm> Judge() const {
    RhythmFinder finder;
    for (const MemoryEvent& event : events_) finder.Add(event);
    auto judged = JudgeLevels(
        &finder, [this](int64_t stack) { return FramesOf(stack); },
        [this](int64_t, const auto& visit) {
          for (const MemoryEvent& event : events_) visit(event);
          return Status::Ok();
        });
    REQUIRE(judged.ok());
    return *judged;
  }

 private:
  int64_t StackOf(const Names& calls) {
    return stacks_of_.emplace(calls, std::ssize(stacks_of_) + 1).first->second;
  }
  std::vector<Frame> FramesOf(int64_t stack) const {
    std::vector<Frame> frames;
    for (const auto& [calls, number] : stacks_of_) {
      if (number != stack) continue;
      for (const std::string& one : calls) frames.push_back(MakeFrame(one));
    }
    std::reverse(frames.begin(), frames.end());
    return frames;
  }

  std::mt19937_64 dice_;
  bool stacks_;
  Names calls_ = {"train.py:<module>", "train.py:main"};
  uint64_t next_ = 1 << 20;
  std::vector<MemoryEvent> events_;
  std::map<Names, int64_t> stacks_of_;
};

struct Model {
  int64_t layers = 12;
  int64_t width = 4 * kMiB;
  bool wrapped = false;  // in a DistributedDataParallel
};

void Layer(Stepping* run, const Model& model, std::vector<uint64_t>* kept) {
  run->Call({"module.py:_call_impl", "model.py:forward"}, [&] {
    for (const char* part : {"norm.py:forward", "linear.py:forward"}) {
      run->Line(part, model.width / 4);
      const uint64_t block = run->Keep(part, model.width);
      if (kept != nullptr) kept->push_back(block);
      if (kept == nullptr) run->Free(block);
    }
  });
}

// Without `kept`, nothing is kept for a backward pass.
void Forward(Stepping* run, const Model& model, std::vector<uint64_t>* kept) {
  Names calls = {"module.py:_call_impl", "gpt.py:forward"};
  if (model.wrapped) {
    calls.insert(calls.begin(), {"module.py:_call_impl", "ddp.py:forward"});
  }
  run->Call(calls, [&] {
    const uint64_t embedded = run->Keep("embedding.py:forward", model.width);
    for (int64_t i = 0; i < model.layers; ++i) Layer(run, model, kept);
    run->Line("norm.py:forward", model.width);
    run->Line("head.py:forward", 4 * model.width);
    if (kept == nullptr) run->Free(embedded);
    if (kept != nullptr) kept->push_back(embedded);
  });
}

void Backward(Stepping* run, const Model& model, std::vector<uint64_t>* kept) {
  run->Call({"tensor.py:backward", "graph.py:_engine_run_backward"}, [&] {
    while (!kept->empty()) {
      run->Line("grad", model.width);
      run->Free(kept->back());
      kept->pop_back();
    }
  });
}

void Optimize(Stepping* run, const Model& model) {
  run->Call({"torch/optim/adamw.py:step"}, [&] {
    for (int64_t i = 0; i < 4 * model.layers; ++i) {
      run->Line("adamw.py:_single_tensor_adamw", 2 * kMiB);
      run->Line("adamw.py:addcdiv", 2 * kMiB);
    }
  });
}

struct Style {
  int64_t parts = 1;  // micro-batches of a step
  bool varying = false;
  int64_t validate = 0;  // every so many steps
  int64_t leaked = 0;
};

void TrainStep(Stepping* run, Model model, const Style& style, int64_t step) {
  std::vector<uint64_t> kept;
  for (int64_t part = 0; part < style.parts; ++part) {
    if (style.varying) model.width = run->Any(2, 8) * kMiB;
    run->Line("data.py:to_device", kMiB);
    Forward(run, model, &kept);
    run->Line("loss.py:loss", 512);
    Backward(run, model, &kept);
  }
  Optimize(run, model);
  if (style.leaked > 0) run->Keep("log.py:remember", style.leaked);
  if (style.validate > 0 && step % style.validate == style.validate - 1) {
    run->Call({"train.py:validate"}, [&] {
      for (int i = 0; i < 5; ++i) Forward(run, model, nullptr);
    });
  }
}

// The allocations of a step; none: there are no steps.
using Truth = std::optional<double>;
using MakeSteps = std::function<Truth(Stepping*)>;

Truth Train(Stepping* run, const Style& style) {
  Model model;
  model.layers = run->Any(4, 32);
  model.wrapped = run->Any(0, 1) == 1;
  run->Call({"train.py:build"}, [&] {
    for (int64_t i = 0; i < 6 * model.layers; ++i) run->Keep("weights", kMiB);
  });
  const int64_t before = run->allocations();
  const int64_t steps = run->Any(12, 40);
  for (int64_t i = 0; i < steps; ++i) {
    run->Call({"train.py:train"}, [&] { TrainStep(run, model, style, i); });
  }
  return static_cast<double>(run->allocations() - before) /
         static_cast<double>(steps);
}

std::map<std::string, MakeSteps> Families() {
  std::map<std::string, MakeSteps> all;
  all["training"] = [](Stepping* run) { return Train(run, {}); };
  all["training, sizes vary"] = [](Stepping* run) {
    return Train(run, {.varying = true});
  };
  all["training with validation"] = [](Stepping* run) {
    return Train(run, {.validate = run->Any(4, 9)});
  };
  all["training with a leak"] = [](Stepping* run) {
    return Train(run, {.leaked = run->Any(1, 6) * kMiB});
  };
  all["accumulated gradients"] = [](Stepping* run) {
    return Train(run, {.parts = run->Any(2, 8)});
  };
  all["one forward pass"] = [](Stepping* run) -> Truth {
    Model model;
    model.layers = run->Any(12, 96);
    Forward(run, model, nullptr);
    return {};
  };
  all["one training step"] = [](Stepping* run) -> Truth {
    Model model;
    model.layers = run->Any(12, 96);
    TrainStep(run, model, {}, 0);
    return {};
  };
  all["generation"] = [](Stepping* run) -> Truth {
    Model model;
    model.layers = run->Any(12, 48);
    model.wrapped = run->Any(0, 1) == 1;
    const int64_t tokens = run->Any(2, 60);
    run->Call({"generate.py:generate"}, [&] {
      for (int64_t i = 0; i < tokens; ++i) Forward(run, model, nullptr);
    });
    return {};
  };
  all["a loader"] = [](Stepping* run) -> Truth {
    const int64_t batches = run->Any(20, 200);
    run->Call({"torch/utils/data/dataloader.py:__next__"}, [&] {
      for (int64_t i = 0; i < batches; ++i) {
        run->Line("collate.py:default_collate", run->Any(1, 9) * kMiB);
        run->Line("pin.py:pin_memory", kMiB);
        run->Line("pin.py:copy", kMiB);
      }
    });
    return {};
  };
  all["an autotuner"] = [](Stepping* run) -> Truth {
    const int64_t variants = run->Any(20, 90);
    run->Call({"triton_heuristics.py:autotune_to_one_config"}, [&] {
      for (int64_t i = 0; i < variants; ++i) {
        run->Line("triton_heuristics.py:clone_args", 8 * kMiB);
        run->Line("triton_heuristics.py:clone_args2", 8 * kMiB);
        run->Line("testing.py:flush", 256 * kMiB);
      }
    });
    return {};
  };
  all["one optimizer step"] = [](Stepping* run) -> Truth {
    Model model;
    model.layers = run->Any(12, 60);
    Optimize(run, model);
    return {};
  };
  return all;
}

struct StepScore {
  int right = 0, open = 0, wrong = 0;
  int all() const { return right + open + wrong; }
};

void Add(const std::vector<JudgedRhythm>& judged, Truth truth,
         StepScore* score) {
  bool open = false, right = false, wrong = false;
  for (const auto& [rhythm, judgement] : judged) {
    const bool is_step = truth && std::abs(rhythm.period / *truth - 1) < 0.25;
    if (judgement.kind == Judgement::kSteps) {
      (is_step ? right : wrong) = true;
    } else if (judgement.rejected()) {
      (is_step ? wrong : right) |= is_step || !truth;
    } else {
      open = true;
    }
  }
  if (judged.empty()) (truth ? open : right) = true;
  if (wrong) {
    ++score->wrong;
  } else if (right && !open) {
    ++score->right;
  } else {
    ++score->open;
  }
}

void Measure(bool stacks, double least_right) {
  StepScore total;
  for (const auto& [name, family] : Families()) {
    StepScore score;
    for (uint64_t seed = 1; seed <= uint64_t(Rounds(40)); ++seed) {
      Stepping run(seed, stacks);
      const Truth truth = family(&run);
      Add(run.Judge(), truth, &score);
    }
    std::printf("%-26s %s stacks: right %2d, open %2d, wrong %2d\n",
                name.c_str(), stacks ? "with   " : "without", score.right,
                score.open, score.wrong);
    total.right += score.right;
    total.open += score.open;
    total.wrong += score.wrong;
  }
  std::printf("%-26s %s stacks: right %d, open %d, wrong %d of %d\n", "all",
              stacks ? "with   " : "without", total.right, total.open,
              total.wrong, total.all());
  CHECK(total.wrong <= total.all() / 100);
  CHECK(total.right >= least_right * total.all());
}

TEST_CASE("what repeats is judged with its call stacks") {
  Measure(true, 0.6);
}

TEST_CASE("without call stacks nothing is called a training step") {
  Measure(false, 0);
}

}  // namespace
}  // namespace inquest::memory
