// SPDX-License-Identifier: Apache-2.0
// `inquest manual`: the man pages and completions, for the installation.
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/manual/pages.h"

namespace inquest::cli {
namespace {

namespace fs = std::filesystem;

struct ManualOptions {
  std::string directory;
  std::string print;
};

Status WriteInto(const fs::path& folder, const std::string& name,
                 const std::string& text) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Usage("cannot make the folder '" + folder.native() +
                 "': " + error.message());
  }
  return WriteFile((folder / name).native(), text);
}

Status WriteManPages(const fs::path& folder, const CommandPage& command) {
  RETURN_IF_ERROR(WriteInto(folder, Joined(command.path, "-") + ".1",
                            ManPage(command, INQUEST_VERSION)));
  for (const CommandPage& one : command.commands) {
    RETURN_IF_ERROR(WriteManPages(folder, one));
  }
  return Status::Ok();
}

// Where man and the shells look below a prefix's share folder.
Status WriteAll(const fs::path& share, const CommandPage& program) {
  RETURN_IF_ERROR(WriteManPages(share / "man" / "man1", program));
  RETURN_IF_ERROR(WriteInto(share / "bash-completion" / "completions",
                            "inquest", BashCompletion(program)));
  RETURN_IF_ERROR(WriteInto(share / "zsh" / "site-functions", "_inquest",
                            ZshCompletion(program)));
  return WriteInto(share / "fish" / "vendor_completions.d", "inquest.fish",
                   FishCompletion(program));
}

int Run(const ManualOptions& options, const CommandPage& program) {
  if (options.print == "environment") {
    Print(EnvironmentMarkdown());
  } else if (options.print == "json") {
    Print(TreeJson(program));
  }
  if (options.directory.empty()) {
    return options.print.empty()
               ? Fail(Usage("there is nothing to do")
                          .WithHint("-o DIR writes, --print shows"))
               : kDone;
  }
  const Status status = WriteAll(options.directory, program);
  return status.ok() ? kDone : Fail(status);
}

}  // namespace

void AddManual(Command program, const Arguments* arguments) {
  auto options = std::make_shared<ManualOptions>();
  const Command command = program.Add(
      "manual", "Write the man pages, and completions for bash, zsh and fish");
  command
      .Takes("-o,--output", &options->directory,
             "Directory like /usr/share, in whose folders man and the shells "
             "look")
      .Called("DIR");
  command
      .Takes("--print", &options->print,
             "Show the environment variables, or all commands as JSON")
      .OneOf({"environment", "json"});
  command.Footer(
      "An installation has them already. Where it is not in /usr: man looks\n"
      "beside the folders of PATH, bash-completion in ~/.local/share.");
  command.Run(
      [options, arguments] { return Run(*options, arguments->Pages()); });
}

}  // namespace inquest::cli
