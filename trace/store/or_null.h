// SPDX-License-Identifier: Apache-2.0
// Turns the special values of records into NULL. For code that writes traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/records/record_kinds.h"

namespace inquest::trace {

inline std::optional<int64_t> OrNull(int64_t number) {
  return number == kNoNumber ? std::nullopt : std::optional(number);
}
inline std::optional<std::string_view> OrNull(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace inquest::trace
