// SPDX-License-Identifier: Apache-2.0
// Adds a test's rows to fact views. A view with given rows is recreated as its
// former rows plus a table, and accepts INSERT: missing columns are NULL if
// they may be, else 0 or empty; `process` is 1, `id` and similar columns count
// from 1, `time` advances a second per row. Works on the private store of one
// test; untrusted SQL may insert into fact views and read, nothing else.
#pragma once

#include "analyzer/facts/store/store.h"
#include "authoring/ruletests/test_model.h"

namespace inquest::ruletests {

// Call once, after the facts were defined. `sql` is one or more INSERTs.
Status GiveFacts(facts::Store* store, const std::vector<GivenRows>& rows,
                 const std::string& sql);

}  // namespace inquest::ruletests
