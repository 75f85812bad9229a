// SPDX-License-Identifier: Apache-2.0
// Makes the rows of the `oom` fact that come from logs: one for each refused
// request that a signature recognised, completed by the lines that follow it
// (TensorFlow's statistics are many lines). Rows from traces are made by the
// memory analysis. Called once, after the logs were read.
#pragma once

#include "analyzer/facts/store/store.h"

namespace inquest::facts {

Status CollectLogOoms(Store* store);

}  // namespace inquest::facts
