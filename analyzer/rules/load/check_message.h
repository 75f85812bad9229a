// SPDX-License-Identifier: Apache-2.0
// Checks that the {figures} in a signature's message exist. The messages of
// rules name columns, which the engine checks. Internal to the loader.
#pragma once

#include <string>
#include <vector>

#include "analyzer/rules/load/loader_fields.h"

namespace inquest::rules {

// `names` are those of the pattern's captures.
void CheckMessage(const Signature& signature, std::vector<std::string> names,
                  Fields* fields);

}  // namespace inquest::rules
