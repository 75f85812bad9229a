// SPDX-License-Identifier: Apache-2.0
// Messages of rules: text with {figure} and {figure|format}, no logic. Formats
// are bytes, count, time, duration; a missing figure prints as "?". A part in
// [brackets] is left out if a figure in it is missing. The result is always
// printable and bounded.
#pragma once

#include <string>
#include <string_view>

#include "base/figures.h"

namespace inquest::findings {

std::string FillMessage(std::string_view message, const Figures& figures);

}  // namespace inquest::findings
