// SPDX-License-Identifier: Apache-2.0
// The answer of `inquest whatif`, as text and as JSON (docs/whatif.md,
// "inquest.whatif/1", additive only). Only formats.
#pragma once

#include <string>
#include <vector>

#include "analyzer/whatif/whatif.h"

namespace inquest::report {

struct WhatifOfDevice {
  whatif::History history;
  whatif::Answer answer;
};

std::string WhatifText(const std::vector<WhatifOfDevice>& devices);
std::string WhatifJson(const std::vector<WhatifOfDevice>& devices);

}  // namespace inquest::report
