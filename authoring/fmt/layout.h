// SPDX-License-Identifier: Apache-2.0
// The canonical layout of rule files: keys in the order of the tables of
// format.h, indentation by two, one blank line between signatures and rules.
// Works on lines, so that comments and the spelling of values stay; text in
// braces on one line is not changed. A comment goes with the key or entry below
// it.
//
// Laying out never changes what a file means: the result is read back and
// compared, values and comments, and a difference is an error, not a file.
// Called by `inquest rules fmt`. A second run changes nothing.
#pragma once

#include <string>

#include "analyzer/rules/load/loader.h"
#include "base/status.h"

namespace inquest::authoring {

// YAML, or JSON if the name ends in .json. An error if the text is neither, or
// could not be laid out without changing it.
Expected<std::string> LayOut(const rules::RuleSource& source);

}  // namespace inquest::authoring
