// SPDX-License-Identifier: Apache-2.0
// The few UTF-8 functions that the program needs. They never change text and
// never allocate.
#pragma once

#include <cstddef>
#include <string_view>

namespace inquest {

// Length of the valid sequence at the beginning of `text`; 0 if there is none
// or the text is empty.
size_t Utf8Length(std::string_view text);

// Whether a valid sequence is a control character, C1 (U+0080 to U+009F)
// included, or a mark that turns the direction of the text after it: what a
// terminal obeys instead of showing it.
bool IsControl(std::string_view sequence);

// Offset of the first byte that belongs to no valid sequence, or npos.
size_t FindInvalidUtf8(std::string_view text);

}  // namespace inquest
