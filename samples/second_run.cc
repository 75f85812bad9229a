// SPDX-License-Identifier: Apache-2.0
// Dies of memory/other-process: an earlier run still holds the card. Start
// `second_run --hold` first (it takes most of the memory, says so and waits to
// be killed), then `second_run`, which needs no more than half of the card.
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "common/check.h"
#include "common/options.h"
#include "common/training.h"

namespace samples {
namespace {

// Takes `bytes` in pieces; the last piece may be smaller.
std::vector<Tensor> Occupy(size_t bytes, size_t piece) {
  std::vector<Tensor> held;
  for (size_t taken = 0; taken + piece <= bytes; taken += piece) {
    held.emplace_back(piece);
  }
  return held;
}

int Hold(const DeviceInfo& device, long seconds) {
  const size_t wanted = device.free / 20 * 17;
  const std::vector<Tensor> held = Occupy(wanted, device.total / 64);
  std::printf("holding %s, pid %d\n", Human(wanted).c_str(),
              static_cast<int>(getpid()));
  std::fflush(stdout);
  for (long i = 0; seconds == 0 || i < seconds; ++i) sleep(1);
  return 0;
}

}  // namespace
}  // namespace samples

int main(int argc, char** argv) {
  using namespace samples;
  Options options(argc, argv, "trains on a card that an earlier run occupies");
  const long steps = options.Number("--steps", 20, "training steps");
  const bool hold = options.Flag("--hold", "be the earlier run");
  const long seconds =
      options.Number("--seconds", 0, "how long to hold; 0: until killed");
  options.Finish();

  const DeviceInfo device = OpenDevice();
  if (hold) return Hold(device, seconds);
  const Tensor weights(device.total / 16);
  TrainingLoop(steps, 5, [&](long) {
    const Tensor activations(device.total / 4);
    const Tensor gradients(device.total / 8);
    CHECK_CUDA(cudaMemset(activations.data(), 0, 4096));
  });
  std::printf("done\n");
  return 0;
}
