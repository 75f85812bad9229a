// SPDX-License-Identifier: Apache-2.0
// `inquest report`: the verdict in a file, to look at and to pass on.
#include <memory>

#include "cli/report_options.h"

namespace inquest::cli {

void AddReport(Command program) {
  auto options = std::make_shared<ReportOptions>();
  options->usual_format = "html";
  const Command command = program.Add(
      "report",
      "Write the verdict into a file: a page with pictures, or another format");
  AddSessionOptions(command, &options->session);
  AddReportOptions(command, options.get());
  command
      .Takes("-o,--output", &options->output,
             "The file; a page is readable by you alone; - is standard output")
      .Required()
      .Called("FILE");
  command.Footer(
      "The page opens from disk, in any browser, without a network: memory\n"
      "over time, the heap at the refusal, allocation sites, leaks, cuDNN,\n"
      "versions and the log's lines, as far as the input has them.");
  command.Run([options] { return RunReport(*options); });
}

}  // namespace inquest::cli
