// SPDX-License-Identifier: Apache-2.0
// `inquest whatif`: which single change would have let a run survive.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "analyzer/findings/rank/losses.h"
#include "analyzer/report/redact/redact_report.h"
#include "analyzer/report/redact/redact_whatif.h"
#include "analyzer/report/whatif_report.h"
#include "analyzer/whatif/history/read_history.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/diagnosis_session.h"
#include "cli/redact_option.h"

namespace inquest::cli {
namespace {

struct WhatifOptions {
  SessionOptions session;
  std::string format = "text";
  std::string device_memory;
  std::string batch;
  bool redact = false;
  whatif::Options changes;
};

Status TakeOptions(WhatifOptions* options) {
  if (!options->device_memory.empty()) {
    const auto bytes = ParseBytes(options->device_memory);
    if (!bytes || *bytes <= 0) {
      return Usage("--device-memory is a size such as 24GiB, not '" +
                   options->device_memory + "'");
    }
    options->changes.device_memory = *bytes;
  }
  if (!options->batch.empty()) {
    char* end = nullptr;
    const double factor = strtod(options->batch.c_str(), &end);
    if (*end != 0 || !(factor > 0) || factor > 1024) {
      return Usage("--batch is a factor such as 0.5, not '" + options->batch +
                   "'");
    }
    options->changes.batch = factor;
  }
  // Mistakes in settings are reported before the run is read.
  for (std::string text : options->changes.settings) {
    std::replace(text.begin(), text.end(), '=', ':');
    memory::TorchSettings settings;
    RETURN_IF_ERROR(memory::ParseTorchSettings(text, &settings));
  }
  return Status::Ok();
}

// Whether memory was the matter at all, and what the recording does not hold.
// Where the rules fail, the replay stands by itself.
void AskVerdict(Session* session, report::WhatifReport* report) {
  if (!session->Diagnose().ok()) return;
  report->cause = session->diagnosis().verdict.cause;
  report->missing = findings::WhatIsMissing(session->diagnosis());
}

Expected<report::WhatifReport> TryAll(const WhatifOptions& options,
                                      facts::Store* store) {
  report::WhatifReport report;
  for (int process = 1; process <= store->traces(); ++process) {
    ASSIGN_OR_RETURN(auto histories, whatif::ReadHistories(store, process));
    for (whatif::History& history : histories) {
      ASSIGN_OR_RETURN(whatif::Answer answer,
                       whatif::TryChanges(&history, options.changes));
      report.devices.push_back({std::move(history), std::move(answer)});
    }
  }
  return report;
}

int Run(WhatifOptions* options) {
  if (Status status = TakeOptions(options); !status.ok()) return Fail(status);
  auto session = Session::Open(options->session);
  if (!session.ok()) return Fail(session.status());
  Say(session->diagnostics());
  auto answer = TryAll(*options, &session->store());
  if (!answer.ok()) return Fail(answer.status());
  if (!answer->devices.empty()) AskVerdict(&*session, &*answer);
  if (options->redact) {
    report::Redactor redactor;
    report::LearnFacts(&session->store(), &redactor);
    report::RedactWhatif(&*answer, &redactor);
  }
  if (options->format == "json") {
    Print(report::WhatifJson(*answer));
  } else if (answer->devices.empty()) {
    Print(
        "No request for device memory is recorded here: whatif needs a trace "
        "(inquest record) or a memory snapshot of PyTorch.\n");
  } else {
    Print(report::WhatifText(*answer));
  }
  return session->exit_code();
}

}  // namespace

void AddWhatif(Command program) {
  auto options = std::make_shared<WhatifOptions>();
  const Command command = program.Add(
      "whatif",
      "Which single change would have let a run survive: other allocator "
      "settings, another batch, another device");
  AddSessionOptions(command, &options->session);
  command.Takes("--device-memory", &options->device_memory,
                "Assume a device with this much memory (24GiB)");
  command
      .Takes(
          "--set", &options->changes.settings,
          "A setting of PyTorch's allocator to try, as max_split_size_mb=128; "
          "several are tried together")
      .OneWordEach();
  command.Takes("--batch", &options->batch, "A factor for the batch to try");
  command.Takes("--only", &options->changes.only, "Only changes of this family")
      .OneOf(whatif::Families());
  command.Takes("--format", &options->format, "How to print the answer")
      .OneOf({"text", "json"})
      .ShowDefault();
  AddRedactOption(command, &options->redact);
  command.Run([options] { return Run(options.get()); });
}

}  // namespace inquest::cli
