// SPDX-License-Identifier: Apache-2.0
// The inputs of a job in shares, for several processes or nodes: the shares of
// one list of inputs, in their order, are the whole list in its order. For
// sessions that make files of facts.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/fleet/shard.h"
#include "cli/inputs.h"

namespace inquest::cli {

// About equal numbers of bytes of logs and of traces. What belongs together and
// is small (the ends of runs; dumps of all ranks; texts within other files) is
// in the first or the last share.
Inputs ShareOf(const Inputs& inputs, const Shard& shard);

// A hash of the inputs' bytes and names, of the rules and of this program:
// where it is the same, so are the facts.
Expected<std::string> ContentOf(const Inputs& inputs,
                                const std::string& rules_digest);

}  // namespace inquest::cli
