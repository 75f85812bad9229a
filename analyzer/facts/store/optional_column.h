// SPDX-License-Identifier: Apache-2.0
// Numbers that may be NULL, into and out of a statement. For the files that
// work out facts and what reads them; one thread, as the statement.
#pragma once

#include <cstdint>
#include <optional>

#include "base/database.h"

namespace inquest::facts {

inline std::optional<int64_t> Column(const Statement& row, int index) {
  if (row.IsNull(index)) return {};
  return row.Int(index);
}

inline void BindOptional(Statement* row, int index,
                         std::optional<int64_t> value) {
  if (value) {
    row->Bind(index, *value);
  } else {
    row->BindNull(index);
  }
}

}  // namespace inquest::facts
