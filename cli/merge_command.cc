// SPDX-License-Identifier: Apache-2.0
// `inquest merge`: a job in two steps, the second: the verdict from the facts
// of all its ranks.
#include <memory>

#include "cli/report_options.h"

namespace inquest::cli {

void AddMerge(Command program) {
  auto options = std::make_shared<ReportOptions>();
  options->usual_format = "text";
  const Command command = program.Add(
      "merge",
      "Name the cause of death of a job from files of `inquest ingest`");
  command
      .Takes("FACTS", &options->session.paths,
             "Files that `inquest ingest` wrote, or their folder")
      .Required();
  AddRuleOptions(command, &options->session.rules);
  AddReportOptions(command, options.get());
  AddOutputOptions(command, options.get());
  command.Run([options] { return RunReport(*options); });
}

}  // namespace inquest::cli
