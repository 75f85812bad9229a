// SPDX-License-Identifier: Apache-2.0
// What the runner itself tells its user: a line on stderr that begins with the
// program's name, apart from what the recorded command prints.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

namespace inquest::record {

inline void Say(std::string_view text) {
  fmt::print(stderr, "inquest: {}\n", text);
}

}  // namespace inquest::record
