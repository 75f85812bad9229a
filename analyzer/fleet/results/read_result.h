// SPDX-License-Identifier: Apache-2.0
// A result of `inquest diagnose --format json` as rows. What another version
// of the program left out stays unknown; any other text is an error. Reads only
// the text.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/fleet/results/rows.h"
#include "base/status.h"

namespace inquest::fleet {

// What the user says of all runs that are loaded together.
struct Additions {
  OptionalInt gpus;
  OptionalText image;
  OptionalText job;
};

// `source` is where the text came from, for messages and for the row.
Expected<Result> ReadResult(std::string_view text, const std::string& source,
                            const Additions& additions = {});

}  // namespace inquest::fleet
