// SPDX-License-Identifier: Apache-2.0
// `inquest report`: the verdict with its pictures as one page of HTML.
#include <memory>

#include "analyzer/report/page/page.h"
#include "cli/command.h"
#include "cli/diagnosis_session.h"
#include "cli/private_file.h"

namespace inquest::cli {
namespace {

struct ReportOptions {
  SessionOptions session;
  std::string output;
};

int Run(const ReportOptions& options) {
  const bool to_stdout = options.output == "-";
  // Before minutes of reading, not after.
  if (!to_stdout) {
    if (Status may = MayReplace(options.output); !may.ok()) return Fail(may);
  }
  auto session = Session::Open(options.session);
  if (!session.ok()) return Fail(session.status());
  if (Status status = session->Diagnose(); !status.ok()) return Fail(status);
  Say(session->diagnostics());
  auto page = report::HtmlPage(session->Report(), &session->store());
  if (!page.ok()) return Fail(page.status());
  if (to_stdout) {
    PrintAsItIs(*page);
  } else if (Status status = WritePrivateFile(options.output, *page);
             !status.ok()) {
    return Fail(status);
  }
  return session->exit_code();
}

}  // namespace

void AddReport(Command program) {
  auto options = std::make_shared<ReportOptions>();
  const Command command = program.Add(
      "report",
      "Write the verdict with its pictures as one HTML page, for a ticket");
  AddSessionOptions(command, &options->session);
  command
      .Takes("-o,--output", &options->output,
             "The page to write, readable by you alone; - is standard output")
      .Required()
      .Called("FILE");
  command.Footer(
      "The page opens from disk, in any browser, without a network: memory\n"
      "over time, the heap at the refusal, allocation sites, leaks, cuDNN,\n"
      "versions and the log's lines, as far as the input has them.");
  command.Run([options] { return Run(*options); });
}

}  // namespace inquest::cli
