// SPDX-License-Identifier: Apache-2.0
// Writes the memory events of a PyTorch profiler trace as an inquest trace:
// blocks of the caching allocator and of host memory, each with the operations
// and Python calls around it, failed requests, training steps, devices. For
// kineto.cc. One thread; memory is that of the live blocks and of the stacks.
#pragma once

#include <string>

#include "analyzer/importers/kineto/kineto_order.h"
#include "analyzer/importers/kineto/kineto_records.h"
#include "base/status.h"

namespace inquest::importers {

// `fault` says why reading ended early, or "". `path` is created.
Status WriteKinetoTrace(const KinetoHead& head, KinetoOrder* order,
                        const std::string& fault, const std::string& path);

}  // namespace inquest::importers
