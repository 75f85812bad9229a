// The settings of PyTorch's allocator with which a trace was recorded: from the
// environment of the process and from what a snapshot says was in force, which
// counts for more. For the replay (analyze.cc) and for what-if.
#pragma once

#include <string>

#include "analyzer/memory/pool/torch_settings.h"
#include "base/database.h"
#include "base/status.h"

namespace inquest::memory {

struct RecordedTorchSettings {
  TorchSettings settings;
  std::string text;   // as the environment has it
  std::string fault;  // what of it cannot be read; then none of it counts
};

// `prefix` is what stands before the trace's table names.
Expected<RecordedTorchSettings> ReadTorchSettings(Database* db,
                                                  const std::string& prefix);

}  // namespace inquest::memory
