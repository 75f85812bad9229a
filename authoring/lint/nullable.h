// SPDX-License-Identifier: Apache-2.0
// Comparisons in SQL with columns that the catalogue of facts marks as
// nullable. A row with NULL there satisfies neither `x = 1` nor `x <> 1`: it is
// lost silently. Found from the columns beside operators, without a parser, so
// columns inside expressions are not checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace inquest::authoring {

struct NullableUse {
  std::string column;    // as written: o.free_bytes
  std::string sign;      // =, <, <>, NOT IN, …
  bool negated = false;  // <>, !=, NOT IN, NOT LIKE, NOT BETWEEN
  size_t offset = 0;     // of the column
};

// If the SQL tests a column with IS, or wraps it in coalesce or ifnull, the
// author knows about NULL and it is left out. Each column once for each kind.
std::vector<NullableUse> NullableUses(std::string_view sql);

}  // namespace inquest::authoring
