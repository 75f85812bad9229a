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

struct WhatifReport {
  std::string cause;                 // of the verdict; "": not asked for
  std::vector<std::string> missing;  // from the recording, as sentences
  std::vector<WhatifOfDevice> devices;

  // Whether the verdict is that the run wanted for GPU memory, so that a change
  // of it could have let the run live.
  bool WantedMemory() const {
    return cause.empty() ||
           (cause.starts_with("memory/") && cause != "memory/host");
  }
};

std::string WhatifText(const WhatifReport& report);
std::string WhatifJson(const WhatifReport& report);

}  // namespace inquest::report
