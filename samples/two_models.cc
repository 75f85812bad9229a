// SPDX-License-Identifier: Apache-2.0
// Dies of memory/earlier-run: a search trains one model after the other in one
// process and keeps each of them, so that a later one finds no room. With
// --release each model goes before the next one is built, and all fit.
#include <cstdio>
#include <vector>

#include "common/check.h"
#include "common/options.h"
#include "common/training.h"

namespace samples {
namespace {

constexpr int kLayers = 12;

struct Model {
  std::vector<Tensor> weights;
  std::vector<Tensor> momentum;  // made in the first step, as optimizers do
};

__attribute__((noinline)) void MakeLayer(std::vector<Tensor>* layers,
                                         size_t bytes) {
  layers->emplace_back(bytes);
}

__attribute__((noinline)) Model BuildModel(size_t layer_bytes) {
  Model model;
  for (int i = 0; i < kLayers; ++i) MakeLayer(&model.weights, layer_bytes);
  return model;
}

void Train(Model* model, size_t layer_bytes, long steps) {
  TrainingLoop(steps, 5, [&](long step) {
    std::vector<Tensor> activations;
    for (int i = 0; i < kLayers; ++i) activations.emplace_back(layer_bytes / 2);
    CHECK_CUDA(cudaMemset(activations.front().data(), 0, 4096));
    if (step > 1) return;
    for (int i = 0; i < kLayers; ++i) MakeLayer(&model->momentum, layer_bytes);
  });
}

}  // namespace
}  // namespace samples

int main(int argc, char** argv) {
  using namespace samples;
  Options options(argc, argv, "trains several models in one process");
  const long steps = options.Number("--steps", 20, "training steps a model");
  const long models = options.Number("--models", 4, "how many");
  const bool release = options.Flag("--release", "let go of each model");
  options.Finish();

  const size_t layer_bytes = OpenDevice().total / 80;
  std::vector<Model> kept;
  for (long i = 1; i <= models; ++i) {
    std::printf("model %ld\n", i);
    if (release) kept.clear();
    kept.push_back(BuildModel(layer_bytes));
    Train(&kept.back(), layer_bytes, steps);
  }
  std::printf("done\n");
  return 0;
}
