// Which literals a line must hold for a pattern to match. RE2 knows (its
// FilteredRE2 analyses the expression); here its answer is cut down to a small
// set of which at least one must stand in the line.
#pragma once

#include <string>
#include <vector>

namespace inquest::rules {

// Lower case, ASCII, at least `shortest` bytes each. Empty: nothing can be
// required, or the pattern is none.
std::vector<std::string> RequiredLiterals(const std::string& pattern,
                                          size_t shortest);

}  // namespace inquest::rules
