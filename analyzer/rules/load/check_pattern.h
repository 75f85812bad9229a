// SPDX-License-Identifier: Apache-2.0
// Checks that RE2 accepts a signature's patterns and that the names around them
// fit their captures. Stores each expression and its literals in the pattern.
// Internal to the loader.
#pragma once

#include "analyzer/rules/load/loader_fields.h"

namespace inquest::rules {

void CheckPatterns(Signature* signature, Fields* fields);

}  // namespace inquest::rules
