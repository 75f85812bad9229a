// SPDX-License-Identifier: Apache-2.0
// Python's tracebacks in logs: which frames belong together, the innermost one
// of the user's own code, and the line with the exception below them. Reads the
// frames that signatures with `fact: frame` recognised and fills `traceback`.
// Called once, after all logs were read.
#pragma once

#include "analyzer/facts/store/store.h"

namespace inquest::facts {

Status CollectTracebacks(Store* store);

}  // namespace inquest::facts
