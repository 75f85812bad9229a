// SPDX-License-Identifier: Apache-2.0
// Whether a value in a diagnosis is the one a test expects. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/figures.h"

namespace inquest::ruletests {

// Numbers must be equal; a text with a unit ("2GiB") fits a number that is
// equal after rounding as in logs; in other texts * matches anything. Of
// several values of a figure one must fit; several expected values must all
// fit.
bool Fits(const Figure& expected, const Figure& got);

// "memory/*" against a cause, "torch.*" against the id of a rule.
bool NamesIt(std::string_view pattern, std::string_view cause,
             std::string_view rule);

// For messages: texts without quotes.
std::string Shown(const Figure& value);

}  // namespace inquest::ruletests
