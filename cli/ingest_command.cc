// SPDX-License-Identifier: Apache-2.0
// `inquest ingest`: a job in two steps, the first: facts of some of its logs
// and traces, where they lie.
#include <memory>

#include "cli/command.h"
#include "cli/diagnosis_session.h"

namespace inquest::cli {
namespace {

struct IngestOptions {
  SessionOptions session;
  std::string output;
  std::string shard;
};

int RunIngest(const IngestOptions& options) {
  const auto shard = ReadShard(options.shard);
  if (!shard.ok()) return Fail(shard.status());
  Diagnostics diagnostics;
  int exit_code = kDone;
  const auto made = Session::Ingest(options.session, *shard, options.output,
                                    &diagnostics, &exit_code);
  Say(diagnostics);
  if (!made.ok()) return Fail(made.status());
  Print(options.output + (*made ? " made\n" : " is up to date\n"));
  return exit_code;
}

}  // namespace

void AddIngest(Command program) {
  auto options = std::make_shared<IngestOptions>();
  const Command command = program.Add("ingest",
                                      "Write the facts of some of a job's logs "
                                      "and traces, for `inquest merge`");
  AddSessionOptions(command, &options->session);
  command
      .Takes("-o,--output", &options->output,
             "File for the facts; nothing is done if it has them already")
      .Called("FILE")
      .Required();
  command
      .Takes(
          "--shard", &options->shard,
          "Of the same folder, share I of N, from 0: each node takes another")
      .Called("I/N");
  command.Run([options] { return RunIngest(*options); });
}

}  // namespace inquest::cli
