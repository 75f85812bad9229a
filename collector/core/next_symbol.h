// SPDX-License-Identifier: Apache-2.0
// Finds the function that a hook replaces: what its caller would have got
// without us. Any thread; not in signal handlers.
#pragma once

namespace inquest::collector {

// Behind us in the global scope, else in the caller's own dependencies, where
// libraries loaded with RTLD_LOCAL have theirs. Null when there is none.
void* FindBehind(const char* name, const void* caller);

}  // namespace inquest::collector
