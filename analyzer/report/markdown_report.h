// SPDX-License-Identifier: Apache-2.0
// A diagnosis as Markdown, for tickets: the words of the text report, evidence
// and commands in blocks of code.
#pragma once

#include <string>

#include "analyzer/report/report.h"

namespace inquest::report {

// `redacted`: whether the input is; the report says so. `all`: every figure in
// a table, instead of those that matter as sentences.
std::string MarkdownReport(const ReportInput& input, bool redacted, bool all);

}  // namespace inquest::report
