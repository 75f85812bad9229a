// inquest: finds out why a GPU training run died.
#include <algorithm>
#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "cli/command.h"

namespace {

int Run(int argc, char** argv) {
  using namespace inquest;  // NOLINT: the program's own namespace
  CLI::App app{"Finds out why a GPU training run died.", "inquest"};
  app.set_version_flag("--version", "inquest " INQUEST_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 the answer is no, 2 usage or unreadable input,\n"
      "3 invalid rules, 4 incomplete, 5 internal error. `record` passes on\n"
      "the exit code of its command.");
  int exit_code = cli::kDone;
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto recorded = cli::TakeRecordedCommand(&words);
  cli::AddRecord(&app, recorded, &exit_code);
  cli::AddDiagnose(&app, &exit_code);
  cli::AddExplain(&app, &exit_code);
  cli::AddQuery(&app, &exit_code);
  cli::AddFacts(&app, &exit_code);
  cli::AddRules(&app, &exit_code);
  try {
    std::reverse(words.begin(), words.end());  // as the library wants them
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::kDone : cli::kBadUsage;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that closes our pipe ends the output, not the program's sense.
  signal(SIGPIPE, SIG_IGN);
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    return inquest::cli::Fail(
        inquest::Internal(std::string("internal error: ") + error.what()));
  }
}
