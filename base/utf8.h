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

// Offset of the first byte that belongs to no valid sequence, or npos.
size_t FindInvalidUtf8(std::string_view text);

}  // namespace inquest
