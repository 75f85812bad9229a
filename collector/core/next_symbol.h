// SPDX-License-Identifier: Apache-2.0
// Finds the function that a hook replaces: the one its caller would have called
// without us. Any thread; not in signal handlers.
#pragma once

namespace inquest::collector {

// Searches after this library in the global scope, then in the caller's own
// dependencies, for libraries loaded with RTLD_LOCAL. Null if there is none.
void* FindNextSymbol(const char* name, const void* caller);

}  // namespace inquest::collector
