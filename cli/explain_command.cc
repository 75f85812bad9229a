// SPDX-License-Identifier: Apache-2.0
// `inquest explain`: the evidence for a finding of a run, and its rivals.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "analyzer/findings/rank/explain.h"
#include "analyzer/report/explain_report.h"
#include "analyzer/report/redact/redact_report.h"
#include "analyzer/rules/model/aliases.h"
#include "cli/command.h"
#include "cli/diagnosis_session.h"
#include "cli/redact_option.h"

namespace inquest::cli {
namespace {

struct ExplainOptions {
  SessionOptions session;
  std::string finding = "verdict";
  std::string format = "text";
  bool redact = false;
};

Status NoSuchFinding(const findings::Diagnosis& diagnosis,
                     const std::string& word) {
  std::string known;
  for (const findings::Finding& finding : diagnosis.findings) {
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", finding.id,
                         finding.cause);
  }
  return Usage(fmt::format("there is no finding '{}' in this run", word))
      .WithHint(known.empty() ? "nothing was found in it"
                              : "there are " + known);
}

// Takes the last word if it is not an existing path.
void TakeFinding(ExplainOptions* options) {
  auto& paths = options->session.paths;
  const bool alone = paths.size() == 1 && options->session.logs.empty() &&
                     options->session.sources.empty();
  if (paths.empty() || alone || access(paths.back().c_str(), F_OK) == 0) {
    return;
  }
  options->finding = paths.back();
  paths.pop_back();
}

// `diagnosis` is the session's, or the same without names.
int Tell(const ExplainOptions& options, const Session& session,
         const findings::Diagnosis& diagnosis, report::Redactor* redactor) {
  const auto named = findings::FindingsNamed(
      diagnosis, rules::IdOfToday(session.rules().aliases, options.finding));
  if (named.empty() && options.finding == "verdict") {
    Print(diagnosis.verdict.cause + ": " + diagnosis.verdict.summary + "\n");
    return session.exit_code();
  }
  if (named.empty()) return Fail(NoSuchFinding(diagnosis, options.finding));
  for (const size_t finding : named) {
    const auto explanation =
        findings::Explain(diagnosis, session.rules().relations, finding);
    if (options.format == "json") {
      Print(report::ExplainJson(diagnosis, explanation, session.rules(),
                                redactor));
    } else {
      Print(report::ExplainText(diagnosis, explanation, session.rules(),
                                redactor));
    }
  }
  return session.exit_code();
}

int Run(ExplainOptions* options) {
  TakeFinding(options);
  auto session = Session::Open(options->session);
  if (!session.ok()) return Fail(session.status());
  if (Status status = session->Diagnose(); !status.ok()) return Fail(status);
  Say(session->diagnostics());
  if (!options->redact) {
    return Tell(*options, *session, session->diagnosis(), nullptr);
  }
  report::Redactor redactor;
  const report::ReportInput report = session->Report();
  report::LearnNames(&session->store(), report, &redactor);
  const report::RedactedReport redacted = report::Redact(report, &redactor);
  return Tell(*options, *session, *redacted.diagnosis, &redactor);
}

}  // namespace

void AddExplain(Command program) {
  auto options = std::make_shared<ExplainOptions>();
  const Command command =
      program.Add("explain",
                  "Every row and line of a finding, and the rivals that lost: "
                  "explain RUN… [F1 | RULE | CAUSE]");
  AddSessionOptions(command, &options->session);
  command.Takes("--format", &options->format, "How to print it")
      .OneOf({"text", "json"})
      .ShowDefault();
  AddRedactOption(command, &options->redact);
  command.Run([options] { return Run(options.get()); });
}

}  // namespace inquest::cli
