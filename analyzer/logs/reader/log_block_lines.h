// SPDX-License-Identifier: Apache-2.0
// The lines of a block, taken out of what surrounds them: colour codes,
// carriage returns, prefixes of launchers and containers, JSON around a line.
// For sinks that read texts of several lines (LogSink::OnBlock). Knows no time
// and joins no folded lines. Linear time, one line in memory.
#pragma once

#include <functional>

#include "analyzer/logs/carriers/log_prefix.h"
#include "analyzer/logs/reader/log_event.h"

namespace inquest::ingest {

void ForEachLine(const LogBlock& block, const PrefixProfile& profile,
                 const std::function<void(const LogLine&)>& use);

}  // namespace inquest::ingest
