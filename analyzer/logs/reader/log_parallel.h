// SPDX-License-Identifier: Apache-2.0
// Reads many logs on all cores, as a job of a thousand ranks has. Each log is
// read by one thread into a buffer; the caller's thread passes the results on,
// log after log, so that the sink sees what a single thread would show it.
// Threads stay a few logs ahead and wait when a buffer is full, so memory grows
// neither with the logs' number nor with their size. Used by the pipeline.
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/logs/reader/log_reader.h"

namespace inquest::ingest {

// Sources are numbered from 0 in the order given. A log that cannot be read
// does not stop the others; the status is that of the first such log.
// `switched_off`, which may be null, gets signatures (see MatchBudget; each
// thread has a budget of its own).
Status ReadLogs(const std::vector<LogFile>& files,
                const rules::SignatureSet& signatures, const LogLimits& limits,
                LogSink* sink, std::vector<size_t>* switched_off = nullptr);

}  // namespace inquest::ingest
