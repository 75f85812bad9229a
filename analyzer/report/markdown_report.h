// SPDX-License-Identifier: Apache-2.0
// A diagnosis as Markdown, for tickets: the words of the text report, all
// figures in a table, evidence and commands in blocks of code.
#pragma once

#include <string>

#include "analyzer/report/report.h"

namespace inquest::report {

// `redacted`: whether the input is; the report says so.
std::string MarkdownReport(const ReportInput& input, bool redacted);

}  // namespace inquest::report
