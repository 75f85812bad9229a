// SPDX-License-Identifier: Apache-2.0
// What `diagnose` and `report` have in common: a run is read, judged, and
// reported in one of the formats, on standard output or in a file. The two
// differ in their usual format and in whether a file must be named.
#pragma once

#include <cstdint>
#include <string>

#include "cli/command.h"
#include "cli/diagnosis_session.h"

namespace inquest::cli {

struct ReportOptions {
  SessionOptions session;
  std::string format;  // empty: as the file's name says, else `usual_format`
  std::string usual_format;
  std::string output;   // empty or "-": standard output
  std::string verdict;  // a file for the verdict alone, in one line
  bool ascii = false;
  bool redact = false;
  bool no_redact = false;  // of Markdown, which is redacted otherwise
  bool nagios = false;
  std::string weight;  // of folded stacks
  int64_t width = -1;  // columns; -1: the terminal's
  std::string fail_on;
};

void AddReportOptions(Command command, ReportOptions* options);
// Files for the report and for the verdict alone, of commands that print.
void AddOutputOptions(Command command, ReportOptions* options);

// Chooses the format; the error says which options do not go together.
Status CompleteOptions(ReportOptions* options);

// Everything; returns the exit code.
int RunReport(ReportOptions options);

}  // namespace inquest::cli
