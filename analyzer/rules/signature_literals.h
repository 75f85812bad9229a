// Which literals a line must hold for a pattern to match. RE2 knows (its
// FilteredRE2 analyses the expression); here its answer is cut down to a small
// set of which at least one must stand in the line.
#pragma once

#include <re2/filtered_re2.h>

#include <string>
#include <vector>

namespace inquest::rules {

// `filter` holds the one pattern and is not compiled yet. Lower case, ASCII,
// at least `shortest` bytes each. Empty: nothing can be required.
std::vector<std::string> RequiredLiterals(re2::FilteredRE2* filter,
                                          size_t shortest);

}  // namespace inquest::rules
