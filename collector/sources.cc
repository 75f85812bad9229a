// SPDX-License-Identifier: Apache-2.0
// The list of sources.
#include "collector/core/source.h"

namespace inquest::collector {
namespace {

constinit const Source* const kSources[] = {
    &kProcessSource,   &kStacksSource, &kPythonSource,  &kPreloadSource,
    &kCuptiSource,     &kNvtxSource,   &kCudnnSource,   &kTorchSource,
    &kLibrariesSource, &kDriverSource, &kCgroupsSource, &kNvmlSource,
};

}  // namespace

std::span<const Source* const> Sources() {
  return kSources;
}

}  // namespace inquest::collector
