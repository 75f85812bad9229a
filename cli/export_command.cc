// SPDX-License-Identifier: Apache-2.0
// `inquest export`: a run for other tools.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>

#include "analyzer/perfetto/perfetto.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/diagnosis_session.h"
#include "cli/private_file.h"

namespace inquest::cli {
namespace {

struct ExportOptions {
  SessionOptions session;
  std::string to = "perfetto";
  std::string output;
  bool slices = true;
};

void SayWhatIsIn(const perfetto::Written& written, const std::string& path) {
  std::cerr << fmt::format("inquest: {} memory events, {} packets, {} in {}\n",
                           FormatCount(written.memory_events),
                           FormatCount(written.packets),
                           FormatBytes(written.bytes), path);
  if (written.folded > 0) {
    std::cerr << fmt::format(
        "inquest: {} older events were folded into totals and are not in it\n",
        FormatCount(written.folded));
  }
  if (written.without_slice > 0) {
    std::cerr << fmt::format(
        "inquest: {} allocations have no slice, because too many blocks were "
        "live at once; they are in the counters\n",
        FormatCount(written.without_slice));
  }
}

int Run(const ExportOptions& options) {
  const bool to_stdout = options.output == "-";
  if (to_stdout && isatty(STDOUT_FILENO) == 1) {
    return Fail(Usage("a Perfetto trace is not text: name a file with -o"));
  }
  if (!to_stdout) {
    if (Status may = MayReplace(options.output); !may.ok()) return Fail(may);
  }
  auto session = Session::Open(options.session);
  if (!session.ok()) return Fail(session.status());
  Say(session->diagnostics());
  perfetto::Options chosen;
  chosen.slices = options.slices;
  perfetto::Written written;
  const auto write = [&](const PrivateFileSink& sink) -> Status {
    ASSIGN_OR_RETURN(written,
                     perfetto::Export(&session->store(), chosen, sink));
    return Status::Ok();
  };
  const Status status = to_stdout ? write([](std::string_view part) {
    PrintAsItIs(std::string(part));
    return Status::Ok();
  })
                                  : WritePrivateFile(options.output, write);
  if (!status.ok()) return Fail(status);
  if (!to_stdout) SayWhatIsIn(written, options.output);
  return session->exit_code();
}

}  // namespace

void AddExport(Command program) {
  auto options = std::make_shared<ExportOptions>();
  const Command command = program.Add(
      "export", "Write the traces of a run for another tool: Perfetto");
  AddSessionOptions(command, &options->session);
  command.Takes("--to", &options->to, "The tool")
      .OneOf({"perfetto"})
      .ShowDefault();
  command
      .Takes("-o,--output", &options->output,
             "The file to write, readable by you alone; - is standard output")
      .Required()
      .Called("FILE");
  command.Flag("!--no-slices", &options->slices,
               "Leave out the slice of each allocation; counters, steps, cuDNN "
               "and refusals remain");
  command.Footer(
      "Open the file at ui.perfetto.dev (it is read in the browser and not\n"
      "sent anywhere) or query it with trace_processor. Ranks are processes;\n"
      "memory has a counter for each device and category; times are those of\n"
      "the clock on the wall, so files of several nodes fit together.");
  command.Run([options] { return Run(*options); });
}

}  // namespace inquest::cli
