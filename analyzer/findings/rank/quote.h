// SPDX-License-Identifier: Apache-2.0
// A line of a log as a sentence quotes it: without the frame that a terminal
// library draws round it, and without its padding.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace inquest::findings {

std::string QuoteOf(std::string_view line, size_t max_bytes = 160);

}  // namespace inquest::findings
