// SPDX-License-Identifier: Apache-2.0
// How many columns of a terminal a text takes: wide characters of East Asian
// scripts and emoji take two, combining marks none, sequences that set a colour
// none. The same under every locale. Text is UTF-8; a byte that is not counts
// as one column. Never fails, keeps nothing.
#pragma once

#include <cstddef>
#include <string_view>

namespace inquest {

size_t DisplayWidth(std::string_view text);

// Length in bytes of the longest beginning of `text` that takes at most
// `columns`; whole characters only. A colour sequence belongs to what follows.
size_t FittingLength(std::string_view text, size_t columns);

}  // namespace inquest
