// SPDX-License-Identifier: Apache-2.0
// Keeps our exceptions from the host. The C++ library throws when memory runs
// out, so every entry from the host into the collector that allocates goes
// through here.
#pragma once

#include <utility>

#include "collector/core/session.h"

namespace inquest::collector {

template <typename Function>
void WithoutThrowing(Function&& function) noexcept {
  try {
    std::forward<Function>(function)();
  } catch (...) {
    SwitchOff("out of memory");
  }
}

}  // namespace inquest::collector
