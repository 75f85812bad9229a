// SPDX-License-Identifier: Apache-2.0
// `inquest diagnose`: the verdict on a run.
#include <memory>

#include "cli/report_options.h"

namespace inquest::cli {

void AddDiagnose(Command program) {
  auto options = std::make_shared<ReportOptions>();
  options->usual_format = "text";
  const Command command = program.Add(
      "diagnose", "Name the cause of death of a run, from traces and logs");
  AddSessionOptions(command, &options->session);
  AddReportOptions(command, options.get());
  AddOutputOptions(command, options.get());
  command
      .Takes("--jobs", &options->session.workers,
             "Read logs and traces in so many processes at a time, each with "
             "one thread (default: in this process, on all cores)")
      .Between(1, 1024)
      .Called("N");
  command.Run([options] { return RunReport(*options); });
}

}  // namespace inquest::cli
