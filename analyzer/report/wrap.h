// SPDX-License-Identifier: Apache-2.0
// Breaks the lines of a report at the width of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace inquest::report {

// Each line of `text` that is wider than `width` characters goes on in lines
// that are indented by four more than it is. Broken at blanks; words that are
// wider, such as paths, stay whole. Escape sequences of colours have no width.
// Lines that are indented by five are commands, to be copied: they stay whole.
// 0: nothing is broken.
std::string WrapLines(std::string_view text, size_t width);

}  // namespace inquest::report
