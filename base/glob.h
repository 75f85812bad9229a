// SPDX-License-Identifier: Apache-2.0
// Matches names with '*', as relations and command lines use them: '*' stands
// for any characters, everything else for itself. Linear in practice, at worst
// the product of the two lengths; no recursion.
#pragma once

#include <string_view>

namespace inquest {

bool MatchesGlob(std::string_view pattern, std::string_view text);
// What all names that match begin with: the part before the first star.
std::string_view GlobPrefix(std::string_view pattern);

}  // namespace inquest
