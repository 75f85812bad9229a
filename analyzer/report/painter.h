// SPDX-License-Identifier: Apache-2.0
// Text for a terminal: bold, dim, coloured if the terminal has colours, and
// always printable. For the parts of the text report.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/units.h"

namespace inquest::report {

// Makes text from rules, logs and paths printable. Painter does so itself; all
// other text must pass through this.
inline std::string Safe(std::string_view text) {
  return Printable(text);
}

class Painter {
 public:
  explicit Painter(bool colour) : colour_(colour) {}
  std::string Bold(const std::string& text) const { return Wrap("1", text); }
  std::string Dim(const std::string& text) const { return Wrap("2", text); }
  std::string Cause(const std::string& text, bool good) const {
    return Wrap(good ? "1;32" : "1;31", text);
  }

 private:
  std::string Wrap(const char* code, const std::string& text) const {
    const std::string safe = Safe(text);
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, safe) : safe;
  }
  bool colour_;
};

}  // namespace inquest::report
