// SPDX-License-Identifier: Apache-2.0
// Messages of the runner itself: a line on stderr that begins with the
// program's name, to distinguish it from the output of the recorded command.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "base/units.h"

namespace inquest::record {

// A stderr without a reader or without room is no reason to end otherwise.
inline void Say(std::string_view text) {
  const std::string line = fmt::format("inquest: {}\n", PrintableLines(text));
  [[maybe_unused]] const ssize_t n =
      write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace inquest::record
