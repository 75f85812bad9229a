// SPDX-License-Identifier: Apache-2.0
// A bound in a step's condition, as rule files write it: ">= 1 GiB", "< 4". A
// size is in bytes. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace inquest::rules {

struct Bound {
  bool upper = false;     // "<" or "<="
  bool included = false;  // "<=" or ">="
  double value = 0;

  bool Holds(double one) const {
    if (one == value) return included;
    return upper ? one < value : one > value;
  }
};

// Whether the text is meant as a bound: it begins with "<" or ">".
bool IsBound(std::string_view text);
// Nothing if no number or size follows.
std::optional<Bound> ParseBound(std::string_view text);

}  // namespace inquest::rules
