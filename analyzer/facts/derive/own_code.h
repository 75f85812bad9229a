// SPDX-License-Identifier: Apache-2.0
// Whose code a file is: the user's own, an installed package's, or a compiler's
// that wrote it while the program ran. By the path alone, as tracebacks and
// recorded stacks have it. Pure functions.
#pragma once

#include <string_view>

namespace inquest::facts {

// Not Python's own, not of an installed package, and a real file.
bool IsOwnCode(std::string_view file);

// Written by a compiler while the program ran: nobody can read or mend it.
bool IsGenerated(std::string_view file);

}  // namespace inquest::facts
