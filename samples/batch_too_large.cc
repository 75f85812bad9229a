// SPDX-License-Identifier: Apache-2.0
// Dies of memory/capacity: weights, gradients and optimizer state fit, but the
// activations of the batch need more than the whole card has.
#include <cstdio>
#include <vector>

#include "common/check.h"
#include "common/options.h"
#include "common/training.h"

namespace samples {
namespace {

constexpr int kLayers = 8;

struct Model {
  std::vector<Tensor> weights;
  std::vector<Tensor> gradients;
  std::vector<Tensor> momentum;
};

Model BuildModel(size_t bytes_a_layer) {
  Model model;
  for (int layer = 0; layer < kLayers; ++layer) {
    model.weights.emplace_back(bytes_a_layer);
    model.gradients.emplace_back(bytes_a_layer);
    model.momentum.emplace_back(bytes_a_layer);
  }
  return model;
}

// One activation per layer, kept for the backward pass.
void TrainBatch(long batch, size_t bytes_a_sample) {
  std::vector<Tensor> activations;
  for (int layer = 0; layer < kLayers; ++layer) {
    activations.emplace_back(static_cast<size_t>(batch) * bytes_a_sample);
    CHECK_CUDA(cudaMemset(activations.back().data(), 0, 4096));
  }
  CHECK_CUDA(cudaDeviceSynchronize());
}

}  // namespace
}  // namespace samples

int main(int argc, char** argv) {
  using namespace samples;
  Options options(argc, argv,
                  "trains with a batch that no step of this card can hold");
  const long steps = options.Number("--steps", 20, "steps with a good batch");
  const long batch = options.Number("--batch", 512, "samples in a batch");
  options.Finish();

  const DeviceInfo device = OpenDevice();
  const Model model = BuildModel(device.total / 100);
  // 64 samples take a quarter of the card; 512 take twice the card.
  const size_t sample = device.total / 4 / kLayers / 64;
  std::printf("training with a batch of 64, then of %ld\n", batch);
  TrainingLoop(steps, 5, [&](long) { TrainBatch(64, sample); });
  TrainingLoop(steps, 5, [&](long) { TrainBatch(batch, sample); });
  std::printf("done\n");
  return 0;
}
