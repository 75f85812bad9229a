// SPDX-License-Identifier: Apache-2.0
// What a line must contain for a pattern to match, in lower case.
#pragma once

#include <string>
#include <vector>

namespace inquest::rules {

struct Literals {
  // At least one of them is in each matching line. Empty: nothing is known.
  std::vector<std::string> any;
  // If the ones above are common words, also one of these, unless it is empty:
  // "loss" is on each line of a training log, "nan" is not. A '\b' at either
  // end is a word's boundary, as in an expression.
  std::vector<std::string> also;

  bool operator==(const Literals&) const = default;
};

}  // namespace inquest::rules
