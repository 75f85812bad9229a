// SPDX-License-Identifier: Apache-2.0
// Reads the files in views/, which define the facts. For catalogue.cc.
//
// A fact is one statement: CREATE TEMP VIEW name, made from other tables, or
// CREATE TABLE store_name, which the analyzer fills and the fact `name` shows
// column by column. The comment above it is the fact's meaning. The comment
// after a column is the column's; it may go on in lines of their own. A column
// can be NULL where a view's comment begins with `?`, or where a table does not
// say NOT NULL or PRIMARY KEY. Further statements (indexes) belong to the fact
// above them.
//
// In views, `{trace}.` stands before the tables of a trace and `{process}`, or
// `{m.process}` of a row m, for the number of its process. Both are filled in
// once for every attached trace and once for all merged ones
// (merged_traces.h), and the parts are joined with UNION ALL; what follows a
// UNION ALL on a line of its own is made once. Rows of two tables of a trace
// are joined by their process too. `{memory_op x}` and `{memory_kind x}` are
// the words for these numbers of a trace.
//
// Times are nanoseconds since 1970 UTC (for traces by the recording host's own
// clock), sizes are bytes, `process` is process.process.
#pragma once

#include <string_view>
#include <vector>

#include "analyzer/facts/store/catalogue.h"

namespace inquest::facts {

// Appends the facts that `sql` defines.
void ParseFacts(std::string_view sql, std::vector<Fact>* facts);

}  // namespace inquest::facts
