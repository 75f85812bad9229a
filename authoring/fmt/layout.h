// SPDX-License-Identifier: Apache-2.0
// The canonical layout of rule files: keys in the order of the tables of
// format.h, two columns an indentation, one blank line between signatures and
// rules. Works on lines, so that every comment and every way of writing a value
// stays; what is on one line in braces is left as it is. A comment goes with
// the key or entry below it.
//
// Laying out never changes what a file means: the result is read back and
// compared, values and comments, and a difference is an error, not a file.
// Called by `inquest rules fmt`. A second run changes nothing.
#pragma once

#include <string>

#include "analyzer/rules/load/loader.h"
#include "base/status.h"

namespace inquest::authoring {

// YAML, or JSON where the name ends in .json. An error where the text is
// neither, or could not be laid out without changing it.
Expected<std::string> LayOut(const rules::RuleSource& source);

}  // namespace inquest::authoring
