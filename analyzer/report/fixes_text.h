// SPDX-License-Identifier: Apache-2.0
// What to do, as a section of the text report. Always printable.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/report/painter.h"
#include "analyzer/report/report.h"

namespace inquest::report {

// A fix's command; "inquest query RUN …" gets this run's words.
std::string CommandFor(const ReportInput& input, std::string command);

// Steps in a short report. Rules put the likeliest first; a recording's report
// needs the room for its memory.
inline size_t MostSteps(const ReportInput& input) {
  return input.summary.devices.empty() ? 3 : 2;
}

// The first `most` of them.
std::string FixesText(const ReportInput& input,
                      const std::vector<rules::Fix>& fixes, size_t most,
                      const Painter& paint);

}  // namespace inquest::report
