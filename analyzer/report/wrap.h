// SPDX-License-Identifier: Apache-2.0
// Breaks the lines of a report at the width of a terminal. Widths are columns
// (base/display_width.h); sequences of colours have none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace inquest::report {

// Lines with this indent are commands or code, to be copied.
inline constexpr size_t kCommandIndent = 5;
// The narrowest terminal that is taken as it is.
inline constexpr size_t kNarrowest = 20;

// No line of the result is wider than `width`, except for one word of a command
// in quotes, which cannot be broken. 0: nothing is broken.
//
// A line that is wider goes on in lines that are indented by four more than it
// is. It is broken at blanks; a word that is wider than a line, such as a path,
// behind one of "/,:;=&?-_." where there is one. Commands: command_wrap.h.
std::string WrapLines(std::string_view text, size_t width);

}  // namespace inquest::report
