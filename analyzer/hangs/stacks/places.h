// SPDX-License-Identifier: Apache-2.0
// What it means that a stack stands in a function: in a collective, in a
// loader, in a lock … Judged by function and file (or library) of one frame;
// frames that say nothing are kNone, and a stack's place is that of its
// innermost frame that says something. Pure; called once for each site.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/hangs/stacks/stack_model.h"

namespace inquest::hangs {

// In place of a file, where a list of top frames has none.
inline constexpr const char* kTopFrame = "<top frame>";

Place PlaceOf(std::string_view function, std::string_view file);

// Python's own library, its bootstrap and wrappers around others: never the
// line that a reader looks for.
bool IsPlumbing(const Site& site);

// The part of a framework or installed package, not the user's program.
bool IsPackage(std::string_view file);

const char* NameOf(Place place);

// What one there does: "waits for its data loader"; of several, "wait for …".
std::string WordsOf(Place place, bool several);

}  // namespace inquest::hangs
