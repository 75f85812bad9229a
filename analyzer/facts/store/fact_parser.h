// SPDX-License-Identifier: Apache-2.0
// Reads the files in views/, which define the facts. For catalogue.cc.
//
// A fact is one statement: CREATE TEMP VIEW name, made from other tables, or
// CREATE TABLE store_name, which the analyzer fills and the fact `name` shows
// column by column. The comment above it documents the fact. The comment after
// a column documents the column; it may continue on separate lines. A column
// can be NULL if a view's comment begins with `?`, or if a table does not say
// NOT NULL or PRIMARY KEY. Further statements (indexes) belong to the fact
// above them.
//
// In views, `{trace}.` is the prefix of a trace's tables and `{process}`, or
// `{m.process}` of a row m, the number of its process. Both are filled in once
// for every attached trace and once for all merged ones (merged_traces.h), and
// the parts are joined with UNION ALL; the part after a UNION ALL on a separate
// line is used once. Joins of two tables of a trace also compare the process.
// `{memory_op x}` and `{memory_kind x}` are the words for these numbers of a
// trace.
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
