// SPDX-License-Identifier: Apache-2.0
// Messages of the runner itself: a line on stderr that begins with the
// program's name, to distinguish it from the output of the recorded command.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

namespace inquest::record {

inline void Say(std::string_view text) {
  fmt::print(stderr, "inquest: {}\n", text);
}

}  // namespace inquest::record
