// SPDX-License-Identifier: Apache-2.0
// What a cause says about the next attempt: whether it lies in a machine, in
// the program with its settings and data, or outside of both.
#pragma once

#include <cstdint>
#include <string_view>

namespace inquest::fleet {

enum class CauseKind : uint8_t {
  kOpen,     // either: an illegal access, a hang
  kMachine,  // a GPU, node, cable or file system: others may be sound
  kProgram,  // the program, its settings, data or environment: it stays
  kOutside,  // a scheduler or an operator: it need not come again
};

// A cause that is not listed is open.
CauseKind KindOfCause(std::string_view cause);

}  // namespace inquest::fleet
