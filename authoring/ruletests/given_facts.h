// Rows that a test gives to fact views. A view that is given rows is made anew
// as what it was plus a table of its own, and takes INSERT: columns left out
// are NULL where they can be, else 0 or empty; `process` is 1, `id` and the
// like count from 1, `time` is a second a row. Works on the private store of
// one test; a stranger's SQL may insert into fact views and read, nothing else.
#pragma once

#include "analyzer/facts/store/store.h"
#include "authoring/ruletests/test_model.h"

namespace inquest::ruletests {

// Call once, after the facts were defined. `sql` holds one or more INSERTs.
Status GiveFacts(facts::Store* store, const std::vector<GivenRows>& rows,
                 const std::string& sql);

}  // namespace inquest::ruletests
