// SPDX-License-Identifier: Apache-2.0
// How values that may be absent, or are unsigned, enter SQLite. For those who
// write traces only.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/database.h"
#include "trace/records/records.h"

namespace inquest::trace {

inline int64_t Signed(uint64_t value) {
  return static_cast<int64_t>(value);
}

inline void BindNumber(Statement* statement, int index, int64_t value) {
  if (value == kNoNumber) {
    statement->BindNull(index);
  } else {
    statement->Bind(index, value);
  }
}

inline void BindText(Statement* statement, int index, std::string_view text) {
  if (text.empty()) {
    statement->BindNull(index);
  } else {
    statement->Bind(index, text);
  }
}

}  // namespace inquest::trace
