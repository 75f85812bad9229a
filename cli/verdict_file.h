// SPDX-License-Identifier: Apache-2.0
// The verdict in one line in a file that a scheduler reads.
#pragma once

#include <string>

#include "analyzer/findings/finding.h"
#include "base/status.h"

namespace inquest::cli {

// Does nothing if `path` is empty. At most 4,096 bytes, as Kubernetes takes of
// /dev/termination-log.
Status WriteVerdict(const std::string& path,
                    const findings::Diagnosis& diagnosis);

}  // namespace inquest::cli
