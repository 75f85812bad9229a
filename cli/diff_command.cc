// SPDX-License-Identifier: Apache-2.0
// `inquest diff`: what changed between a good run and a bad one.
#include <memory>

#include "analyzer/comparison/comparison_report.h"
#include "analyzer/report/redact/redact_report.h"
#include "cli/command.h"
#include "cli/diagnosis_session.h"
#include "cli/redact_option.h"

namespace inquest::cli {
namespace {

struct DiffOptions {
  std::string good, bad;
  RuleOptions rules;
  std::string format = "text";
  bool redact = false;
};

Expected<Session> Look(const std::string& path, const RuleOptions& rules) {
  SessionOptions options;
  options.paths = {path};
  options.rules = rules;
  ASSIGN_OR_RETURN(Session session, Session::Open(options));
  RETURN_IF_ERROR(session.Diagnose());
  Say(session.diagnostics());
  return session;
}

comparison::Side SideOf(const std::string& path, const Session& session) {
  const findings::Verdict& verdict = session.diagnosis().verdict;
  return {path, verdict.cause, verdict.summary};
}

// The names of a run: those of its report, and of its paths.
void Learn(Session* session, report::Redactor* redactor) {
  report::LearnNames(&session->store(), session->Report(), redactor);
}

void RedactSide(comparison::Side* side, report::Redactor* redactor) {
  side->path = redactor->RedactedPath(side->path);
  side->summary = redactor->Redacted(side->summary);
}

// Whether a value is secret, or a name, may depend on its variable, so both are
// examined together. Four numbers in a version are not an address.
void RedactValue(const std::string& section, const std::string& what,
                 std::optional<comparison::Value>* value,
                 report::Redactor* redactor) {
  if (!*value) return;
  std::string& text = (*value)->text;
  if (section == "versions") {
    text = redactor->RedactedVersion(text);
    return;
  }
  const std::string whole = redactor->Redacted(what + "=" + text);
  const bool split = whole.starts_with(what + "=");
  text = split ? whole.substr(what.size() + 1) : redactor->Redacted(text);
}

void Redact(Session* good, Session* bad, comparison::Comparison* comparison) {
  report::Redactor redactor;
  Learn(good, &redactor);
  Learn(bad, &redactor);
  RedactSide(&comparison->good, &redactor);
  RedactSide(&comparison->bad, &redactor);
  for (comparison::Section& section : comparison->sections) {
    for (comparison::Difference& one : section.differences) {
      RedactValue(section.id, one.what, &one.good, &redactor);
      RedactValue(section.id, one.what, &one.bad, &redactor);
      one.what = redactor.Redacted(one.what);
      one.moved_from = redactor.Redacted(one.moved_from);
    }
  }
}

int Run(const DiffOptions& options) {
  auto good = Look(options.good, options.rules);
  if (!good.ok()) return Fail(good.status());
  auto bad = Look(options.bad, options.rules);
  if (!bad.ok()) return Fail(bad.status());
  auto sections = comparison::Compare(&good->store(), &bad->store());
  if (!sections.ok()) return Fail(sections.status());
  comparison::Comparison comparison = {
      SideOf(options.good, *good), SideOf(options.bad, *bad), sections.Take()};
  if (options.redact) Redact(&*good, &*bad, &comparison);
  Print(options.format == "json" ? comparison::ComparisonJson(comparison)
                                 : comparison::ComparisonText(comparison));
  return good->exit_code() != kDone ? good->exit_code() : bad->exit_code();
}

}  // namespace

void AddDiff(Command program) {
  auto options = std::make_shared<DiffOptions>();
  const Command command = program.Add(
      "diff",
      "What changed between two runs: versions, environment, memory, sites");
  command
      .Takes("GOOD", &options->good,
             "The good run: a run directory, a trace, another tool's file or a "
             "log")
      .Required();
  command.Takes("BAD", &options->bad, "The bad run").Required();
  AddRuleOptions(command, &options->rules);
  command.Takes("--format", &options->format, "How to print it")
      .OneOf({"text", "json"})
      .ShowDefault();
  AddRedactOption(command, &options->redact);
  command.Run([options] { return Run(*options); });
}

}  // namespace inquest::cli
