// SPDX-License-Identifier: Apache-2.0
// Breaks a command so that it can still be copied from a terminal as it stands.
// Used by wrap.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace inquest::report {

// Lines of at most `width` columns, each indented by `indent`, or by less where
// a word needs the room. A command goes on behind a backslash, which shells and
// Python understand, also within double quotes; there nothing is indented, so
// that it stays what it is. A word that is wider stays whole. A comment at its
// end gets lines of its own, each of which begins with "#". May hold colours.
std::string WrapCommand(std::string_view command, size_t indent, size_t width);

}  // namespace inquest::report
