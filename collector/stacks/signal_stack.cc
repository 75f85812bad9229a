// SPDX-License-Identifier: Apache-2.0
#include "collector/stacks/signal_stack.h"

#include <signal.h>

#include <cstdint>

namespace inquest::collector {
namespace {

// The compiler's unwinder and the dynamic linker need some 6 KiB together.
constexpr uintptr_t kWantedRoom = 16 << 10;

}  // namespace

bool OnSmallSignalStack() {
  stack_t now{};
  if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_ONSTACK) == 0) {
    return false;
  }
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here - reinterpret_cast<uintptr_t>(now.ss_sp) < kWantedRoom;
}

}  // namespace inquest::collector
