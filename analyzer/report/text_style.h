// SPDX-License-Identifier: Apache-2.0
// How a text report is to look: what the command line and the terminal say.
#pragma once

#include <cstddef>

namespace inquest::report {

struct TextStyle {
  bool colour = false;
  size_t width = 0;    // of the terminal in columns; 0: lines are not broken
  bool all = false;    // every figure, finding and piece of evidence
  bool ascii = false;  // the terminal cannot show Unicode
  size_t most_lines = 40;  // unless `all`
};

// The width that a report is made for where there is no terminal.
inline constexpr size_t kUsualWidth = 80;

}  // namespace inquest::report
