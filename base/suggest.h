// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the nearest known word. Used wherever a user or rule author
// can misspell one of a fixed set.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace inquest {

// Insertions, deletions, substitutions and swaps of neighbours that turn one
// word into the other; letters compare without case. Words longer than 64
// bytes are cut, so the cost is bounded.
size_t EditDistance(std::string_view a, std::string_view b);

// The nearest candidate, or "" if none is similar enough.
std::string Nearest(std::string_view word,
                    const std::vector<std::string>& candidates);

// "did you mean 'pattern'?"; if none is similar and there are only few, the
// candidates themselves ("one of: app, kernel, any"); otherwise "".
std::string DidYouMean(std::string_view word,
                       const std::vector<std::string>& candidates);

}  // namespace inquest
