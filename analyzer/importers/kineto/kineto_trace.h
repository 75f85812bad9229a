// Writes what a trace of PyTorch's profiler tells of memory as a trace: blocks
// of the caching allocator and of the host's, each with the operations and the
// Python calls around it, requests that failed, training steps, devices. For
// kineto.cc. One thread; memory is that of the live blocks and of the stacks.
#pragma once

#include <string>

#include "analyzer/importers/kineto/kineto_order.h"
#include "analyzer/importers/kineto/kineto_records.h"
#include "base/status.h"

namespace inquest::importers {

// `fault` is what ended the reading early, "" where nothing did. `path` is made
// anew.
Status WriteKinetoTrace(const KinetoHead& head, KinetoOrder* order,
                        const std::string& fault, const std::string& path);

}  // namespace inquest::importers
