// SPDX-License-Identifier: Apache-2.0
// The settings of PyTorch's allocator in a recorded run: from the environment
// of the process and from a snapshot's list of settings, which takes
// precedence. For the replay (analyze.cc) and for what-if.
#pragma once

#include <string>

#include "analyzer/memory/pool/torch_settings.h"
#include "base/database.h"
#include "base/status.h"

namespace inquest::memory {

struct RecordedTorchSettings {
  TorchSettings settings;
  std::string text;   // from the environment
  std::string fault;  // why it cannot be parsed; if set, all of it is ignored
};

// `prefix` precedes the trace's table names.
Expected<RecordedTorchSettings> ReadTorchSettings(Database* db,
                                                  const std::string& prefix);

}  // namespace inquest::memory
