// SPDX-License-Identifier: Apache-2.0
// Are a signature's patterns such as RE2 takes, and do the names around them
// fit their captures. Leaves each expression and its literals in the pattern.
// Internal to the loader.
#pragma once

#include "analyzer/rules/load/loader_fields.h"

namespace inquest::rules {

void CheckPatterns(Signature* signature, Fields* fields);

}  // namespace inquest::rules
