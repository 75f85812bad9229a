// SPDX-License-Identifier: Apache-2.0
// Which literals a line must hold for a pattern to match. RE2 knows (its
// FilteredRE2 analyses the expression); here its answer is cut down to a small
// set of which at least one must stand in the line.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <vector>

namespace inquest::rules {

// Lower case, ASCII, at least `shortest` bytes each. Empty: nothing can be
// required, or the pattern is none.
std::vector<std::string> RequiredLiterals(const std::string& pattern,
                                          size_t shortest);

struct TakenApart {
  std::shared_ptr<const re2::RE2> compiled;  // never null, maybe not ok()
  std::vector<std::string> literals;
};

// Both of a pattern at the price of one: RE2 compiles it on the way anyway.
TakenApart TakeApart(const std::string& pattern, size_t shortest);

}  // namespace inquest::rules
