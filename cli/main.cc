// SPDX-License-Identifier: Apache-2.0
// inquest: finds out why a GPU training run died.
#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "cli/command.h"

namespace {

int Run(int argc, char** argv) {
  using namespace inquest;
  cli::Arguments arguments("inquest", "Finds out why a GPU training run died.",
                           "inquest " INQUEST_VERSION);
  const cli::Command program = arguments.program();
  program.NeedsCommand();
  program.Footer(
      "Exit codes: 0 done, 1 the answer is no, 2 usage or unreadable input,\n"
      "3 invalid rules, 4 incomplete, 5 internal error. `record` passes on\n"
      "the exit code of its command.");
  std::vector<std::string> words(argv + 1, argv + argc);
  // `record` passes the streams on as they are.
  if (words.empty() || words.front() != "record") cli::ReserveStandardStreams();
  cli::AddRecord(program, cli::TakeRecordedCommand(&words));
  cli::AddDiagnose(program);
  cli::AddReport(program);
  cli::AddDiff(program);
  cli::AddExplain(program);
  cli::AddQuery(program);
  cli::AddFacts(program);
  cli::AddWhatif(program);
  cli::AddImport(program);
  cli::AddFleet(program);
  cli::AddAttempts(program);
  cli::AddIngest(program);
  cli::AddMerge(program);
  cli::AddExport(program);
  cli::AddDoctor(program);
  cli::AddMcp(program);
  cli::AddRules(program);
  cli::AddManual(program, &arguments);
  return arguments.Run(words);
}

}  // namespace

int main(int argc, char** argv) {
  // If a reader closes our pipe, the exit code should still be right.
  signal(SIGPIPE, SIG_IGN);
  try {
    return inquest::cli::AfterOutput(Run(argc, argv));
  } catch (const std::exception& error) {
    return inquest::cli::Fail(
        inquest::Internal(std::string("internal error: ") + error.what()));
  }
}
