// SPDX-License-Identifier: Apache-2.0
// Dies of version/cudnn-mismatch: the cuDNN that was loaded is not the one the
// program was built against, or its sub-libraries come from another release.
// Checks what careful frameworks check at the start, then calls a layer.
#include <cstdio>

#include "common/check.h"
#include "common/options.h"
#include "common/training.h"

namespace samples {
namespace {

std::string Version(size_t version) {
  return std::to_string(version / 10000) + "." +
         std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

// Same major version, and nothing older than what was compiled against.
bool IsCompatible(size_t loaded, size_t compiled) {
  return loaded / 10000 == compiled / 10000 && loaded >= compiled / 100 * 100;
}

void CheckVersions() {
  const size_t loaded = cudnnGetVersion();
  if (IsCompatible(loaded, CUDNN_VERSION)) return;
  std::fprintf(stderr,
               "Loaded runtime CuDNN library: %s but source was compiled with: "
               "%s.\n",
               Version(loaded).c_str(), Version(CUDNN_VERSION).c_str());
  std::exit(1);
}

}  // namespace
}  // namespace samples

int main(int argc, char** argv) {
  using namespace samples;
  Options options(argc, argv, "runs with cuDNN libraries of mixed versions");
  const long steps = options.Number("--steps", 10, "training steps");
  options.Finish();

  OpenDevice();
  std::printf("built against cuDNN %s, loaded %s\n",
              Version(CUDNN_VERSION).c_str(),
              Version(cudnnGetVersion()).c_str());
  CheckVersions();
  cudnnHandle_t handle = nullptr;
  CHECK_CUDNN(cudnnCreate(&handle));
  CHECK_CUDNN(cudnnOpsVersionCheck());
  CHECK_CUDNN(cudnnCnnVersionCheck());
  {
    ConvLayer layer(handle, 4, 16, 32);
    TrainingLoop(steps, 5, [&](long) { layer.Forward(); });
  }
  CHECK_CUDNN(cudnnDestroy(handle));
  std::printf("done\n");
  return 0;
}
