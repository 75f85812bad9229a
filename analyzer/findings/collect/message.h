// SPDX-License-Identifier: Apache-2.0
// Messages of rules: text with {figure} and {figure|format}, no logic. Formats
// are bytes, count, time, duration; a figure that is missing prints as "?". The
// result is printable and bounded, whatever the figures hold.
#pragma once

#include <string>
#include <string_view>

#include "base/figures.h"

namespace inquest::findings {

std::string FillMessage(std::string_view message, const Figures& figures);

}  // namespace inquest::findings
