// SPDX-License-Identifier: Apache-2.0
#include "collector/torch/c10_device.h"

#include <atomic>

#include "collector/core/dlsym_hook.h"
#include "collector/process/modules.h"

namespace inquest::collector {
namespace {

enum class Layout { kUnknown, kNarrow, kWide };

Layout FindDeviceLayout() {
  void* library = HandleOfLoaded("libc10_cuda.so");
  const bool wide =
      library != nullptr &&
      RealDlsym(library, "_ZN3c104cuda17getStreamFromPoolEbs") != nullptr;
  return wide ? Layout::kWide : Layout::kNarrow;
}

}  // namespace

int16_t C10DeviceIndex(c10::Device device) {
  static std::atomic<Layout> known{Layout::kUnknown};
  Layout layout = known.load(std::memory_order_relaxed);
  if (layout == Layout::kUnknown) {
    layout = FindDeviceLayout();
    known.store(layout, std::memory_order_relaxed);
  }
  const int16_t index = layout == Layout::kWide ? device.wide_index
                                                : int16_t{device.narrow_index};
  return index < 0 ? int16_t{0} : index;
}

}  // namespace inquest::collector
