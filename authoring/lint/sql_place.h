// SPDX-License-Identifier: Apache-2.0
// The place of a piece of a rule's SQL in its file.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/rules/load/loader.h"

namespace inquest::authoring {

// `begin` is the place of the SQL's value, `offset` a position in the SQL,
// `word` the text there. Exact for blocks (`sql: |`) and single lines; for
// folded texts the value's beginning.
rules::Place PlaceInSql(const std::string& file_text, const rules::Place& begin,
                        std::string_view sql, size_t offset,
                        std::string_view word);

}  // namespace inquest::authoring
