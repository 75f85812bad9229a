// SPDX-License-Identifier: Apache-2.0
// Names of processes for sentences. Bounded in length. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/ranges.h"

namespace inquest::hangs {

// The first of them, then " and N more".
std::string Listed(const std::vector<std::string>& names, size_t most);

}  // namespace inquest::hangs
