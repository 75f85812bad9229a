// The host never sees an exception of ours. The C++ library throws one where
// there is no memory left; each way from the host into the collector on which
// something is allocated goes through here.
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
